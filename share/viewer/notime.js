/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instead of time.js, in pages whose samples have neither times nor threads.
 */
const picks = [], takeFacet = 0, facetSums = 0, wants = 0, stepText = 0;
const samplesOf = 0;
const soleOf = () => [];
const choose = (g) => g, rateOf = () => 1;
const chart = { open: false }, chartKeys = {};
const drawChart = 0, outlineChart = 0, panChart = 0, scaleChart = 0;
function addChart() {}
function showChart() {}
function drawHeat() {}
function dropSpans() {}
function nudge() {}
function showTime() {}
function listenTime() {}
