echo 'a 1' >in
jfr2flame --input-format folded -o collapsed in
jfr2flame --input-format=jfr -o collapsed in
