# $$Lambda$9.0x... of JDK 17 has the run's number; no form may stay.
{
	echo 'app/Main$$Lambda$9.0x00007f8177090218.run_[j] 1'
	echo 'app/Main$$Lambda$10.0x00007f8177091234.run_[j] 2'
	echo 'app/Main$$Lambda$14+0x0000000800c03000/543846639.run_[j] 4'
	echo 'app/Main$$Lambda/0x00007f1b3c1a2b00.run_[j] 8'
	echo 'app/Main$$Lambda.run_[j] 16'
} | jfr2flame --norm --collapsed
