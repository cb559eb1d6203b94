cat >hybrid <<'END'
a 1 [000] 1.000001:  10 cpu_core/cycles/u: 
	            1000 f (/x)

a 1 [004] 1.000002:  20 cpu_atom/cycles/u: 
	            1000 f (/x)

a 1 [004] 1.000003:  30 cpu_atom/instructions/u: 
	            1000 g (/x)

a 1 [004] 1.000004:  40 sched:sched_stat_sleep: 
	            1000 h (/x)

END
flame-fold --event cycles hybrid
flame-fold --event cycles --weight period hybrid
flame-fold --event cpu_core/cycles/u,cpu_atom/instructions/u hybrid
flame-fold --event sched:sched_stat_sleep hybrid
