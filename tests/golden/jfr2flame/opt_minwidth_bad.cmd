echo 'a 1' | jfr2flame --minwidth thin
