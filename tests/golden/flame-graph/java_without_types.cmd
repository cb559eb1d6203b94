# Names show what is Java where no frame is known to have run so.
printf '%s\n' 'java/lang/Thread.run;com/app/Main$Task.go 7' \
	'java/lang/Thread.run;write_[k] 1' 'main;std::sort 2' >plain
flame-graph plain >default.svg
flame-graph --colors java plain | cmp - default.svg && echo java
flame-graph --colors type plain | cmp -s - default.svg || echo not type
printf '%s\n' 'java/lang/Thread.run_[j];com/app/Main$Task.go 7' >typed
flame-graph typed >default.svg
flame-graph --colors type typed | cmp - default.svg && echo type
