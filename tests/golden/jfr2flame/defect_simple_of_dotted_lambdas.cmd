{
	echo 'org.apache.x.Executor$$Lambda.apply_[j] 1'
	echo 'org.apache.x.Executor$$Lambda$9.0x00007f8177090218.apply_[j] 2'
	echo 'org/apache/x/Executor$$Lambda/0x00007f8177090218.apply_[j] 4'
	echo 'org/apache/x/Executor.run_[j] 8'
} | jfr2flame --raw-names --simple --collapsed
