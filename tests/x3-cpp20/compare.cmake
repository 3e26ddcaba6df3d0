# cmake -DPROGRAM=... -DEXPECTED=FILE -P compare.cmake: the program has to end with 0, and to print exactly
# what is in the file.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE said RESULT_VARIABLE ended)
file(READ ${EXPECTED} expected)
if(NOT ended EQUAL 0)
  message(FATAL_ERROR "It ended with ${ended}, and printed:\n${said}")
endif()
if(NOT said STREQUAL expected)
  message(FATAL_ERROR "Expected:\n${expected}\nIt printed:\n${said}")
endif()
