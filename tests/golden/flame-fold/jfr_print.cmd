printf 'jdk.ExecutionSample {\n  startTime = 10:01:53.229 (2026-02-14)\n  stackTrace = [\n    A.main(String[]) line: 3\n  ]\n}\n' | flame-fold 2>&1 | cut -d: -f3-
printf '<?xml version="1.0"?>\n<recording>\n  <events>\n  <event type="jdk.CPULoad">\n    <value name="startTime">2026</value>\n' | flame-fold 2>&1 | cut -d: -f3-
# A text that ends its first line in {, but is none.
printf 'server {\n  listen 80;\n}\n' | flame-fold 2>&1 | cut -c 1-80
printf 'server {\n  startTime = now;\n}\n' | flame-fold 2>&1 | cut -c 1-80
