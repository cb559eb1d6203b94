printf '%s\n' 'process 7:"w.py";process 8:"w.py";f (w.py:1) 1' \
	'process 7:"w.py";process 9:"w.py";f (w.py:1) 2' >in
jfr2flame --input-format folded --collapsed --merge-processes in
