printf 'a 1\nwhat is this\nb;c\nd 2\n' >in
jfr2flame -i --input-format folded --collapsed in; echo $?
jfr2flame --input-format folded --collapsed --partial fail in
