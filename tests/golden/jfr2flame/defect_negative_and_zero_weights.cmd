printf 'a 1\nb -1\nc 0\nd 1.5\n' >in
jfr2flame --input-format folded --collapsed --partial fail in
