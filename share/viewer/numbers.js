/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of numbers by their bare names.
 */
export const { abs, ceil, floor, max, min, round } = Math;
