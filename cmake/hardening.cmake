# What makes a mistake with memory end the process instead of changing its course: guards of the stack, checked copies, tables of
# the linker that are read-only before main(). A build with sanitizers has better checks of its own. Together with them the checks of
# containers (_GLIBCXX_ASSERTIONS) took 4 % more instructions of a fit, so they are left to other builds.
if(SCALELAW_SANITIZE)
  return()
endif()
add_compile_options(-fstack-protector-strong
                    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
