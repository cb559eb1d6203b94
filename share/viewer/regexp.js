/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions as the tools read them: '$' is the end only where a
 * pattern or an alternative can end.  Elsewhere it stands for itself, as in
 * Executor$TaskRunner.
 */
export const makeRegexp = (pattern, flags) => new RegExp(pattern.replace(
	/\\.|\[(?:\\.|[^\]\\])*\]|\$(?=[^|)])/gs,
	(part) => part === "$" ? "\\$" : part), flags);
