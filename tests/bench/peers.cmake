# The peers, from the system's packages. Who is not installed is left out.

include(CheckCXXSourceCompiles)
include(CheckLanguage)

# Library peer-${peer}, if both its header and its library are there. `library`: "" if it needs none.
function(find_peer peer header library)
  find_path(${peer}_folder ${header})
  if(library)
    find_library(${peer}_library ${library})
  else()
    set(${peer}_library "${CMAKE_DL_LIBS}")
  endif()
  if(${peer}_folder AND NOT ${peer}_library MATCHES NOTFOUND)
    add_library(peer-${peer} INTERFACE)
    target_include_directories(peer-${peer} SYSTEM INTERFACE ${${peer}_folder})
    target_link_libraries(peer-${peer} INTERFACE ${${peer}_library})
  endif()
endfunction()

find_peer(ucontext ucontext.h "")
find_peer(pth pth.h pth)
find_peer(libuv uv.h uv)
find_peer(libev ev.h ev)
find_peer(libevent event2/event.h event_core)

check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  check_cxx_source_compiles("#include <coroutine>\nint main() { std::noop_coroutine().resume(); }" have_coroutines)
endif()
if(have_coroutines)
  add_library(peer-cpp20 INTERFACE)
  find_peer(asio boost/asio.hpp "")
  find_peer(coroutine2 boost/coroutine2/all.hpp boost_context)
endif()
find_program(GO go)

# Program ${bench}-${peer} from ${bench}/peers/${peer}.c or .cpp or .go.
function(add_peers bench)
  foreach(peer IN LISTS ARGN)
    set(source ${PROJECT_SOURCE_DIR}/${bench}/peers/${peer})
    set(program ${bench}-${peer})
    if(peer STREQUAL go AND GO)
      add_go(${program} ${source}.go)
    elseif(TARGET peer-${peer})
      if(EXISTS ${source}.cpp)
        add_executable(${program} ${source}.cpp)
      else()
        add_executable(${program} ${source}.c)
      endif()
      target_link_libraries(${program} PRIVATE bench-options peer-${peer})
    endif()
  endforeach()
endfunction()

function(add_go program source)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${program}
    COMMAND ${CMAKE_COMMAND} -E env GOPROXY=off GOFLAGS= GOCACHE=${PROJECT_BINARY_DIR}/go-cache
      ${GO} build -o ${PROJECT_BINARY_DIR}/${program} ${source}
    DEPENDS ${source} support/measure.go go.mod
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM)
  add_custom_target(make-${program} ALL DEPENDS ${PROJECT_BINARY_DIR}/${program})
endfunction()

add_peers(switch cpp20 ucontext coroutine2 pth asio go)
add_peers(spawn cpp20 ucontext coroutine2 pth asio go)
add_peers(await cpp20 asio go)
add_peers(sync go)
add_peers(memory cpp20 ucontext coroutine2 pth asio go)
add_peers(timers libuv libev asio go)
add_peers(pool libuv go)
add_peers(echo libuv libev libevent asio go)
