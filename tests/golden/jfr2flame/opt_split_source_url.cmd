jfr2flame --split --source-url 'vscode://file/src/{path}.java:{line}' \
	data/jfr/spark-lock.jfr page.html 2>/dev/null
ls | sed 's/[0-9][0-9.]*[0-9]/N/'
grep -o '<meta name="source[^>]*' page.html
