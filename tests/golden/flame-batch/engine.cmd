# The paths of the tools are those of the build, quoted where they need it.
FLAME_SHARE=/share
export FLAME_SHARE
{
	flame-batch --engine spark -o hdfs:///site --root TaskRunner.run \
		--keep 'a b' --keep "c'd" --title 'X Y' hdfs:///prof 'x y'
	flame-batch --engine hadoop -o site --root TaskRunner.run --threads \
		--keep 'a\sb' --key app \
		webhdfs://nn:9870/prof /mnt/x
	flame-batch --engine hadoop -o site --keep 'a b' x
	flame-batch --engine hadoop -o site s3://prof/app \
		https://host/exec-1.jfr
	flame-batch --engine storm -o site x
} 2>&1 | sed -e "s,[^ ',]*/tools/\\(\\.libs/\\)*flame,/tools/flame,g" \
	-e "s,'\\(/tools/[^' ]*\\)',\\1," \
	-e "s#,[^ ,]*/libflamegraph[.]so[^ ,]*##"
