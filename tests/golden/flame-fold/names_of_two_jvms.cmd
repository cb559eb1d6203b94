cat >one.folded <<'END'
g/App.main;g/App$$Lambda$14/1083962448.run 1
g/App.main;g/App$$Lambda/0x00007f2d6c009430.run 2
g/App.main;g/Svc$$EnhancerBySpringCGLIB$$3a1f09bc.find 4
g/App.main;org/apache/spark/sql/catalyst/expressions/GeneratedClass$GeneratedIteratorForCodegenStage3.processNext 8
g/App.main;org/apache/spark/sql/catalyst/expressions/GeneratedClass$GeneratedIteratorForCodegenStage12.processNext 32
g/App.main;StreamExecCalc$3.processElement 64
g/App.main;StreamExecCalc$9.processElement 128
g/App.main;g/App$1.call;g/App.lambda$main$0;g/S$$anonfun$2.apply 16
END
sed 's/14.1083962448/21\/764523409/; s/7f2d6c009430/7f0011aa2200/
	s/3a1f09bc/97ce0b1d/' one.folded >two.folded
flame-fold one.folded two.folded
echo
flame-fold --raw-names one.folded two.folded | wc -l
flame-fold one.folded >a
flame-fold two.folded >b
flame-merge a b >merged
cat a b | flame-fold | cmp - merged &&
	flame-diff one.folded two.folded | head -n 1
flame-diff -q one.folded two.folded && echo same
