# A line of columns for each level, root at the bottom or on top.
printf 'main;org/apache/spark/rdd/RDD.iterator_[j];java/util/HashMap.get_[i] 40\nmain;org/apache/spark/rdd/RDD.iterator_[j] 20\nmain;b 2\nmain;b;c 37\nx 1\n' >in
flame-graph -f text --title 'Two towers' in
flame-graph -f text --width 60 --inverted in
flame-graph -f text --width 10 in
flame-graph -f text --width 5 in
