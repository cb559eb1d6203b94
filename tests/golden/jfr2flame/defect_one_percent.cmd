# 1% is 1, not 0.01 percent.
printf 'a;b 5\na;c 995\n' >in
jfr2flame --minwidth 1% -o collapsed in
jfr2flame --minwidth 1 -o collapsed in
