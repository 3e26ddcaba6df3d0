#!/bin/sh
# Gradescope runs this once, as root, when it builds the container's image. Installs what the kit
# needs, compiles the kit's part of all that will be graded, and then removes the reference's
# source: no submission ever runs in a place that has it.
set -eu
umask 022

cd /autograder/source
chmod 700 .
kit/lab setup
kit/lab prepare
