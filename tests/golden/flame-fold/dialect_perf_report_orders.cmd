# perf report prints the leaf first, unless it is asked for callers: the row's
# function says which.
report() {
	echo '# Overhead  Command  Symbol'
	printf '    70.00%%  app      [.] leaf\n7 %s\n\n' "$1"
	printf '    30.00%%  app      [.] parse\n2 %s\n1 parse\n' "$2"
}
report 'leaf (inlined);work (inlined);main;_start' 'parse;leaf;main;_start' >callee
report '_start;main;work (inlined);leaf (inlined)' '_start;main;leaf;parse' >caller
flame-fold callee
flame-fold caller
