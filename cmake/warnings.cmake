# Warnings for our own code only: consumers of the library get no flags.
add_library(scalelaw_warnings INTERFACE)
target_compile_options(scalelaw_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion)
option(SCALELAW_WERROR "Treat warnings as errors" OFF)
if(SCALELAW_WERROR)
  target_compile_options(scalelaw_warnings INTERFACE -Werror)
endif()
