# pdflatex compiles a report of the demo study and of names that are commands in LaTeX or very long, and the tables of
# single commands in a document that inputs them. Nothing juts out of a page.
if(NOT PDFLATEX)
  message(STATUS "skipped: no pdflatex")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(NAMES "\\input{/etc/passwd}" "100 % $x^2$ & a_b #1 ~ {" "\\end{document}" "<b>--?`[x]</b>" "Größe ± é"
          "meta-llama/Llama-3.1-405B-Instruct-FP8-dynamic-quantised-and-distilled-once-more")

# A table of the names, and of further ones.
function(write_runs file)
  set(runs "model,gpus,epoch_seconds\n")
  foreach(name IN LISTS NAMES ARGN)
    string(REPLACE "\"" "\"\"" name "${name}")
    foreach(n IN ITEMS 1 2 4 8)
      math(EXPR seconds "800 / ${n} + ${n}")
      string(APPEND runs "\"${name}\",${n},${seconds}\n")
    endforeach()
  endforeach()
  file(WRITE ${file} "${runs}")
endfunction()

function(compile folder name)
  foreach(pass IN ITEMS 1 2)
    execute_process(COMMAND ${PDFLATEX} -interaction=nonstopmode -halt-on-error -no-shell-escape ${name}.tex
                    WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_QUIET)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${folder}: pdflatex failed with ${status}\n${log}")
    endif()
  endforeach()
  string(REGEX MATCHALL "Overfull .hbox[^\n]*" wide "${log}")
  if(wide)
    message(FATAL_ERROR "${folder}: too wide: ${wide}")
  endif()
endfunction()

write_runs(${WORK}/hostile.csv "中文")  # Which the report spells out.
foreach(input IN ITEMS ${SOURCE}/data/demo/runs.csv ${WORK}/hostile.csv)
  cmake_path(GET input STEM name)
  execute_process(COMMAND ${BINARY} --quiet report ${input} -o ${WORK}/${name}/report.tex COMMAND_ERROR_IS_FATAL ANY)
  compile(${WORK}/${name} report)
endforeach()
file(READ ${WORK}/runs/report.tex demo)
if(demo MATCHES "begin{landscape}")
  message(FATAL_ERROR "a table of the demo lies on its side")
endif()

write_runs(${WORK}/names.csv)
file(WRITE ${WORK}/tables.tex "\\documentclass{article}\n\\usepackage[paperwidth=2000mm,paperheight=1000mm,margin=1cm]{geometry}\n"
                              "\\usepackage{booktabs}\n\\begin{document}\n")
foreach(command IN ITEMS fit rank predict)
  execute_process(COMMAND ${BINARY} --quiet ${command} ${WORK}/names.csv -o ${WORK}/${command}.tex COMMAND_ERROR_IS_FATAL ANY)
  file(APPEND ${WORK}/tables.tex "\\input{${command}}\n\n")
endforeach()
file(APPEND ${WORK}/tables.tex "\\end{document}\n")
compile(${WORK} tables)
