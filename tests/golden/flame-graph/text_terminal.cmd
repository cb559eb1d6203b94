# script
# A terminal gets colours, and its width is used.
printf 'a;b 3\na 1\n' >in
script -qec 'stty cols 30; flame-graph -f text in' /dev/null </dev/null | tr -d '\r' | cat -v
script -qec 'stty cols 30; NO_COLOR=1 flame-graph -f text in' /dev/null </dev/null | tr -d '\r'
