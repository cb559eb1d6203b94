for file in $DATA/d3/*.json $DATA/spark-page/*.html; do flame-fold "$file" 2>&1; done
flame-fold -q --lines $DATA/d3/spark.json
printf 'a;b 2\na;c_[k] 3\n' | flame-fold -f d3 | flame-fold
printf '<html><link href="/static/webui.css"></html>' | flame-fold 2>&1 || echo $?
