# Two columns that meet: places of inlined functions, inlined functions where
# no frame has a module.  perf prints "(inlined)" after the place.
cat >places <<'END'
app   500 [001]  100.000100:    1001001 cpu-clock:u: 
	          401793 deep+0x13
  a.cpp:5 (inlined)
	          401793 outer(long)+0x13 (/opt/app)
  a.cpp:7
	          4017f9 late+0x19
  a.cpp:9 (inlined)
	          4017f9 main+0x19 (/opt/app)

END
flame-fold places
flame-fold --srcline places
cat >no_modules <<'END'
app   500 
	          401793 deep (inlined)
	          401793 tmpl<double>(std::function<void (int)>)
	          401b43 main

END
flame-fold no_modules
