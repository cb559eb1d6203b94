/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instead of time.js, in pages whose samples have neither times nor threads.
 */
export const picks = [], takeFacet = 0, facetSums = 0, wants = 0, stepText = 0;
export const samplesOf = 0;
export const soleOf = () => [];
export const choose = (g) => g, rateOf = () => 1;
export const chart = { open: false }, chartKeys = {};
export const drawChart = 0, outlineChart = 0, panChart = 0, scaleChart = 0;
export function addChart() {}
export function showChart() {}
export function drawHeat() {}
export function dropSpans() {}
export function nudge() {}
export function showTime() {}
export function listenTime() {}
