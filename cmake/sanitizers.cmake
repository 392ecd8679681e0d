if(SCALELAW_SANITIZE)
  add_compile_options(-fsanitize=${SCALELAW_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SCALELAW_SANITIZE})
endif()
