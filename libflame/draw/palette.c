/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colour schemes (--colors), for frame_color.c: name and type of a frame in,
 * its colours for light and dark pages out.  A new scheme is a function pick_X,
 * a SCHEME and a row in fl_schemes.  Also here: fl_looks_java(), the ramp of
 * changes, and the numbers of colours in a picture.
 *
 * The tables were computed in OKLCH: within a family lightness and chroma
 * hardly change, so that no frame stands out, and text has a contrast of 7:1 on
 * light pages and 4.5:1 on dark ones.
 *
 * A family has 12 colours: three hues by package, four shades by name.  A ramp
 * has 16, by name.
 */
#include "draw/draw.h"

#include <stdio.h>
#include <stdlib.h>

static const struct fl_colors jit[] = {
	{ 0xa4e59f, 0x25572d }, { 0xa8e9a3, 0x285b30 }, { 0xaceda8, 0x2c5e33 },
	{ 0xb0f1ab, 0x306237 }, { 0x96e7ac, 0x155835 }, { 0x9aebb0, 0x1a5c39 },
	{ 0x9ef0b4, 0x1e5f3c }, { 0xa2f4b8, 0x226340 }, { 0x88e9b8, 0x00593e },
	{ 0x8cedbd, 0x025d42 }, { 0x90f1c1, 0x0a6045 }, { 0x94f5c5, 0x116448 },
};
static const struct fl_colors c1[] = {
	{ 0xd7e492, 0x535e22 }, { 0xdbe897, 0x576226 }, { 0xdfed9b, 0x5a662a },
	{ 0xe3f19f, 0x5d692e }, { 0xcbe79a, 0x4a612a }, { 0xcfec9e, 0x4e652d },
	{ 0xd3f0a2, 0x516831 }, { 0xd7f4a6, 0x546c35 }, { 0xbeeba3, 0x406332 },
	{ 0xc2efa7, 0x446735 }, { 0xc7f3ac, 0x486a39 }, { 0xcbf7af, 0x4b6e3c },
};
static const struct fl_colors inlined[] = {
	{ 0x90cfc9, 0x095955 }, { 0x94d3cd, 0x105d58 }, { 0x98d7d1, 0x16605c },
	{ 0x9cdbd5, 0x1b645f }, { 0x8ececf, 0x05585b }, { 0x92d3d3, 0x0c5c5e },
	{ 0x97d7d8, 0x136062 }, { 0x9adbdc, 0x186366 }, { 0x8ecdd6, 0x065860 },
	{ 0x93d2da, 0x0e5b64 }, { 0x97d6de, 0x145f68 }, { 0x9adae2, 0x19626b },
};
static const struct fl_colors interp[] = {
	{ 0xd5ecd8, 0x2f4236 }, { 0xdaf0dc, 0x334639 }, { 0xdef4e1, 0x36493d },
	{ 0xe2f8e5, 0x394d40 }, { 0xd2ecdc, 0x2d4339 }, { 0xd6f0e0, 0x30463c },
	{ 0xdbf5e4, 0x344a40 }, { 0xdff9e8, 0x374d43 }, { 0xd0ede0, 0x2b433c },
	{ 0xd4f1e4, 0x2e463f }, { 0xd8f5e8, 0x324a43 }, { 0xdcf9ec, 0x354d46 },
};
static const struct fl_colors native[] = {
	{ 0xe8929b, 0x690c25 }, { 0xed969f, 0x6d1128 }, { 0xf19aa3, 0x72162b },
	{ 0xf59ea7, 0x751a2e }, { 0xe99390, 0x6a0d18 }, { 0xee9794, 0x6e121b },
	{ 0xf29b98, 0x72171e }, { 0xf69f9b, 0x761b21 }, { 0xe99485, 0x6a1005 },
	{ 0xed9989, 0x6e1509 }, { 0xf29d8d, 0x72190e }, { 0xf6a091, 0x761d11 },
};
static const struct fl_colors vm[] = {
	{ 0xface68, 0x745504 }, { 0xffd26c, 0x78590b }, { 0xffd77f, 0x7b5d12 },
	{ 0xffdc90, 0x7f6017 }, { 0xefd369, 0x6d5903 }, { 0xf3d86d, 0x715c0a },
	{ 0xf8dc71, 0x756011 }, { 0xfce075, 0x786417 }, { 0xe2d86d, 0x665c09 },
	{ 0xe7dd71, 0x696010 }, { 0xebe175, 0x6d6415 }, { 0xefe579, 0x71671a },
};
static const struct fl_colors kernel[] = {
	{ 0xf39d5e, 0x67320c }, { 0xf8a163, 0x6b3510 }, { 0xfca567, 0x6f3915 },
	{ 0xffaa6e, 0x723c18 }, { 0xeea154, 0x633502 }, { 0xf2a558, 0x683803 },
	{ 0xf6a95c, 0x6c3c09 }, { 0xfaad60, 0x6f3f0e }, { 0xe6a64c, 0x5e3901 },
	{ 0xebaa50, 0x623c03 }, { 0xefae54, 0x673f01 }, { 0xf3b259, 0x6c4202 },
};
static const struct fl_colors python[] = {
	{ 0x84c1f7, 0x014069 }, { 0x88c5fc, 0x00446e }, { 0x8dc9ff, 0x024773 },
	{ 0x96cdfe, 0x004b79 }, { 0x8fbefa, 0x053d75 }, { 0x93c2fe, 0x0a4079 },
	{ 0x9bc6fe, 0x0f447d }, { 0xa1cafe, 0x134780 }, { 0x9abafb, 0x1c3976 },
	{ 0x9fbeff, 0x203d7a }, { 0xa5c3fe, 0x23407e }, { 0xabc7fe, 0x264482 },
};
static const struct fl_colors js[] = {
	{ 0xb6a5e7, 0x5c4788 }, { 0xbaa9eb, 0x604a8c }, { 0xbeadf0, 0x634e90 },
	{ 0xc2b1f4, 0x675294 }, { 0xbfa2e2, 0x644483 }, { 0xc3a6e6, 0x684887 },
	{ 0xc7aaeb, 0x6b4b8b }, { 0xcbaeef, 0x6f4f8f }, { 0xc79fdc, 0x6b417d },
	{ 0xcba3e0, 0x6f4581 }, { 0xd0a7e4, 0x724885 }, { 0xd4abe8, 0x764c88 },
};
static const struct fl_colors group[] = {
	{ 0xccced0, 0x2d3135 }, { 0xd0d2d4, 0x303439 }, { 0xd4d6d9, 0x33373c },
	{ 0xd8dadd, 0x373a3f }, { 0xccced0, 0x2d3035 }, { 0xd0d2d5, 0x313439 },
	{ 0xd5d6d9, 0x34373c }, { 0xd8dadd, 0x373a3f }, { 0xccced0, 0x2e3036 },
	{ 0xd1d2d5, 0x313439 }, { 0xd5d6d9, 0x34373c }, { 0xd9dadd, 0x373a3f },
};
static const struct fl_colors cb_java[] = {
	{ 0x7cbef6, 0x0c528c }, { 0x80c3fb, 0x125590 }, { 0x85c7fe, 0x175994 },
	{ 0x8dcafe, 0x1b5d98 }, { 0x83bdf8, 0x1c508d }, { 0x87c1fd, 0x205391 },
	{ 0x8dc5ff, 0x245795 }, { 0x95c8fe, 0x285b99 }, { 0x89bafa, 0x274e8e },
	{ 0x8dbffe, 0x2b5192 }, { 0x94c3ff, 0x2e5596 }, { 0x9cc7fe, 0x32599a },
};
static const struct fl_colors cb_inlined[] = {
	{ 0xade6f1, 0x083e4f }, { 0xb1ebf5, 0x0d4253 }, { 0xb5eff9, 0x124556 },
	{ 0xb9f3fd, 0x16485a }, { 0xaee6f4, 0x0d3d51 }, { 0xb2eaf8, 0x124155 },
	{ 0xb6eefc, 0x164458 }, { 0xbdf2ff, 0x1a485c }, { 0xafe5f6, 0x123d52 },
	{ 0xb3e9fb, 0x164056 }, { 0xb9edfe, 0x1a435a }, { 0xc3f0ff, 0x1d475d },
};
static const struct fl_colors cb_interp[] = {
	{ 0xddeaf2, 0x1c252d }, { 0xe1eef7, 0x1f2830 }, { 0xe6f3fb, 0x222c34 },
	{ 0xebf7fe, 0x252f37 }, { 0xdeeaf3, 0x1d252d }, { 0xe2eef7, 0x202831 },
	{ 0xe6f2fc, 0x232b34 }, { 0xebf6fe, 0x262e37 }, { 0xdee9f3, 0x1e252e },
	{ 0xe3eef8, 0x212831 }, { 0xe7f2fc, 0x242b34 }, { 0xecf6ff, 0x272e37 },
};
static const struct fl_colors cb_native[] = {
	{ 0xf38c76, 0x883327 }, { 0xf8907a, 0x8d362b }, { 0xfc947e, 0x913a2f },
	{ 0xff9984, 0x953e32 }, { 0xf28e6f, 0x88341f }, { 0xf79273, 0x8c3823 },
	{ 0xfb9677, 0x903c27 }, { 0xfe9a7b, 0x943f2a }, { 0xf19067, 0x873616 },
	{ 0xf5946b, 0x8b391a }, { 0xfa986f, 0x8f3d1e }, { 0xfe9c73, 0x934122 },
};
static const struct fl_colors cb_vm[] = {
	{ 0xfcea7f, 0x746214 }, { 0xffee8d, 0x786619 }, { 0xfff3a9, 0x7c6a1e },
	{ 0xfff6c2, 0x7f6d22 }, { 0xf5ed81, 0x706416 }, { 0xf9f186, 0x74681b },
	{ 0xfdf68a, 0x786b20 }, { 0xfff9a2, 0x7b6f24 }, { 0xedf085, 0x6c6619 },
	{ 0xf1f489, 0x6f6a1e }, { 0xf6f88e, 0x736d22 }, { 0xfafd92, 0x767126 },
};
static const struct fl_colors cb_kernel[] = {
	{ 0xf4bf8c, 0x552c0a }, { 0xf8c390, 0x592f0e }, { 0xfdc794, 0x5c3312 },
	{ 0xffcc9b, 0x603616 }, { 0xf1c189, 0x532d05 }, { 0xf5c58e, 0x57300a },
	{ 0xf9c992, 0x5b340e }, { 0xfecd95, 0x5e3712 }, { 0xedc388, 0x522e02 },
	{ 0xf2c78c, 0x563205 }, { 0xf6cb90, 0x59350a }, { 0xfacf94, 0x5d380e },
};
static const struct fl_colors cb_python[] = {
	{ 0xa59ed5, 0x594dae }, { 0xa9a2d9, 0x5c51b3 }, { 0xada6de, 0x6055b7 },
	{ 0xb0aae2, 0x6358bb }, { 0xa99cd3, 0x604aac }, { 0xada0d8, 0x644eb0 },
	{ 0xb1a4dc, 0x6752b4 }, { 0xb5a8e0, 0x6b55b8 }, { 0xad9bd1, 0x6748a9 },
	{ 0xb19fd5, 0x6a4bad }, { 0xb5a3da, 0x6e4fb1 }, { 0xb9a7de, 0x7153b5 },
};
static const struct fl_colors cb_other[] = {
	{ 0xadb1b7, 0x41454a }, { 0xb1b6bc, 0x45494e }, { 0xb5bac0, 0x484c51 },
	{ 0xb9bdc4, 0x4c5055 }, { 0xadb1b8, 0x42454b }, { 0xb1b5bc, 0x45494e },
	{ 0xb6b9c0, 0x494c52 }, { 0xb9bdc4, 0x4c4f55 }, { 0xaeb1b8, 0x42454b },
	{ 0xb2b5bc, 0x46484e }, { 0xb6b9c0, 0x494c52 }, { 0xbabdc4, 0x4c4f55 },
};
static const struct fl_colors hot[] = {
	{ 0xfea28f, 0x782a24 }, { 0xffa68d, 0x7a2d20 }, { 0xfeaa8d, 0x7b301b },
	{ 0xfeae8b, 0x7c3316 }, { 0xfeb28b, 0x7d3610 }, { 0xffb589, 0x7e3909 },
	{ 0xfeb989, 0x7f3c02 }, { 0xfebd88, 0x7d4102 }, { 0xfec187, 0x7d4500 },
	{ 0xffc485, 0x7b4904 }, { 0xffc883, 0x7b4c00 }, { 0xfecc82, 0x7a5002 },
	{ 0xfecf7f, 0x795301 }, { 0xffd37a, 0x785601 }, { 0xffd774, 0x775a03 },
	{ 0xfddb72, 0x765d00 },
};
static const struct fl_colors mem[] = {
	{ 0x9fce85, 0x224801 }, { 0x9ed18a, 0x1e4b02 }, { 0x9dd48f, 0x1b4e0a },
	{ 0x9cd794, 0x185011 }, { 0x9bda99, 0x145217 }, { 0x9add9e, 0x0f551d },
	{ 0x99e0a3, 0x095722 }, { 0x98e3a9, 0x025927 }, { 0x97e6ae, 0x035b2d },
	{ 0x97e9b3, 0x015d32 }, { 0x96ecb8, 0x045f38 }, { 0x95eebe, 0x03603d },
	{ 0x95f1c3, 0x046241 }, { 0x94f4c8, 0x056446 }, { 0x94f7ce, 0x01664a },
	{ 0x93f9d3, 0x04684e },
};
static const struct fl_colors io[] = {
	{ 0x81c7f4, 0x014261 }, { 0x86c8f8, 0x034366 }, { 0x8bcafb, 0x02456b },
	{ 0x90ccff, 0x024671 }, { 0x99cdff, 0x0d4774 }, { 0xa1cefe, 0x154876 },
	{ 0xa7d0ff, 0x1c4979 }, { 0xafd1fe, 0x224a7c }, { 0xb5d3fe, 0x284b7e },
	{ 0xbbd4fe, 0x2d4c80 }, { 0xc0d6fe, 0x324d83 }, { 0xc6d8fe, 0x374e85 },
	{ 0xcbdafe, 0x3b4f87 }, { 0xd0dcfe, 0x405089 }, { 0xd4defe, 0x45518b },
	{ 0xd8e0ff, 0x49528d },
};
static const struct fl_colors wakeup[] = {
	{ 0x7fcfc4, 0x034741 }, { 0x81d1c9, 0x004944 }, { 0x83d3cd, 0x024b47 },
	{ 0x85d6d1, 0x044d4a }, { 0x86d8d5, 0x014f4e }, { 0x88dad9, 0x035151 },
	{ 0x8bdcde, 0x005354 }, { 0x8ddfe2, 0x035457 }, { 0x8fe1e6, 0x01565b },
	{ 0x92e3ea, 0x05585e }, { 0x94e5ee, 0x035a62 }, { 0x97e7f2, 0x015c65 },
	{ 0x99e9f7, 0x065d68 }, { 0x9cebfb, 0x055f6c }, { 0x9fedff, 0x056170 },
	{ 0xabeeff, 0x056374 },
};
static const struct fl_colors lock[] = {
	{ 0xc7aff5, 0x462e69 }, { 0xcdb1f6, 0x4a2f69 }, { 0xd2b2f6, 0x4e306a },
	{ 0xd8b3f6, 0x52316a }, { 0xddb5f7, 0x56326a }, { 0xe2b6f7, 0x5a336a },
	{ 0xe7b7f7, 0x5e346a }, { 0xedb9f6, 0x61356a }, { 0xf2baf6, 0x65366a },
	{ 0xf7bcf5, 0x693769 }, { 0xfbbef5, 0x6d3869 }, { 0xffc1f3, 0x703a68 },
	{ 0xfec6ef, 0x743b67 }, { 0xffcaed, 0x773c67 }, { 0xffceeb, 0x7b3d66 },
	{ 0xffd3ea, 0x7e3f65 },
};
static const struct fl_colors red[] = {
	{ 0xf59aa2, 0x741e2e }, { 0xf79ba2, 0x761f2e }, { 0xf99da2, 0x78212e },
	{ 0xfb9fa3, 0x7a232e }, { 0xfda1a3, 0x7c252e }, { 0xffa3a3, 0x7e262e },
	{ 0xffa6a5, 0x7f282e }, { 0xffa9a6, 0x812a2e }, { 0xfeaca8, 0x832c2e },
	{ 0xfeafa9, 0x852e2e }, { 0xffb1ab, 0x862f2e }, { 0xffb4ad, 0x88312d },
	{ 0xfeb7af, 0x8a332d }, { 0xffbab0, 0x8c352d }, { 0xfebdb2, 0x8d372d },
	{ 0xfec0b5, 0x8f382d },
};
static const struct fl_colors green[] = {
	{ 0xa0de93, 0x24471c }, { 0xa1e095, 0x25491f }, { 0xa1e298, 0x254b21 },
	{ 0xa1e49b, 0x264c23 }, { 0xa2e69e, 0x274e26 }, { 0xa2e8a1, 0x285028 },
	{ 0xa2eaa3, 0x28522a }, { 0xa3eca6, 0x29532c }, { 0xa3eea9, 0x2a552f },
	{ 0xa3f0ac, 0x2a5731 }, { 0xa4f2af, 0x2b5933 }, { 0xa4f4b2, 0x2c5b35 },
	{ 0xa5f6b4, 0x2d5c38 }, { 0xa5f8b7, 0x2d5e3a }, { 0xa5faba, 0x2e603c },
	{ 0xa6fcbd, 0x2f623f },
};
static const struct fl_colors blue[] = {
	{ 0x7ebff3, 0x014167 }, { 0x82c0f6, 0x01426c }, { 0x85c2f8, 0x014370 },
	{ 0x89c4fb, 0x024574 }, { 0x8cc5fe, 0x094677 }, { 0x92c7fe, 0x104879 },
	{ 0x98c9fe, 0x15497b }, { 0x9dcafe, 0x1a4b7e }, { 0xa2ccff, 0x1e4c80 },
	{ 0xa8ceff, 0x224e82 }, { 0xadcffe, 0x264f84 }, { 0xb1d1fe, 0x2a5187 },
	{ 0xb6d3fe, 0x2e5289 }, { 0xbbd5fe, 0x31548b }, { 0xbed7ff, 0x35558d },
	{ 0xc3d8ff, 0x385790 },
};
static const struct fl_colors aqua[] = {
	{ 0x7bdad9, 0x024d4d }, { 0x7ddcdc, 0x044e4f }, { 0x7fdddf, 0x015051 },
	{ 0x80dfe2, 0x045153 }, { 0x82e1e4, 0x015356 }, { 0x84e2e7, 0x035458 },
	{ 0x86e4ea, 0x00565a }, { 0x87e5ed, 0x03575d }, { 0x89e7ef, 0x06595f },
	{ 0x8be9f2, 0x0a5a61 }, { 0x8deaf5, 0x0d5c63 }, { 0x8fecf8, 0x105d65 },
	{ 0x91edfa, 0x135e67 }, { 0x93effd, 0x166069 }, { 0x97f0ff, 0x18616b },
	{ 0xa1f0ff, 0x1b626e },
};
static const struct fl_colors yellow[] = {
	{ 0xf6d56b, 0x5e4b04 }, { 0xf6d76d, 0x5f4c02 }, { 0xf7d86e, 0x5f4e04 },
	{ 0xf7da70, 0x604f01 }, { 0xf7dc71, 0x615003 }, { 0xf8de73, 0x615201 },
	{ 0xf8e075, 0x625303 }, { 0xf8e176, 0x625406 }, { 0xf8e378, 0x635608 },
	{ 0xf8e57a, 0x63570b }, { 0xf9e77b, 0x64590d }, { 0xf9e97d, 0x645a10 },
	{ 0xf9ea7f, 0x655b12 }, { 0xf9ec80, 0x655d14 }, { 0xf9ee82, 0x665e16 },
	{ 0xf9f084, 0x666018 },
};
static const struct fl_colors purple[] = {
	{ 0xc7aff5, 0x4c3173 }, { 0xcbb1f6, 0x4f3274 }, { 0xceb2f7, 0x513375 },
	{ 0xd2b3f8, 0x543476 }, { 0xd5b5f9, 0x573576 }, { 0xd9b6fa, 0x593677 },
	{ 0xdcb8fb, 0x5c3778 }, { 0xdfb9fc, 0x5f3878 }, { 0xe3bbfd, 0x613979 },
	{ 0xe6bcfe, 0x643a79 }, { 0xeabeff, 0x673b7a }, { 0xedbfff, 0x693c7a },
	{ 0xefc1ff, 0x6c3d7b }, { 0xf2c3ff, 0x6f3f7b }, { 0xf5c5ff, 0x71407c },
	{ 0xf7c7ff, 0x74417c },
};
static const struct fl_colors orange[] = {
	{ 0xffaf7e, 0x703504 }, { 0xfeb281, 0x713704 }, { 0xfeb483, 0x723803 },
	{ 0xfeb684, 0x733a03 }, { 0xfeb986, 0x743c03 }, { 0xfebb88, 0x753d02 },
	{ 0xfebe8a, 0x763f02 }, { 0xfec08c, 0x774102 }, { 0xfec28f, 0x784302 },
	{ 0xfec491, 0x794402 }, { 0xfec793, 0x7a4602 }, { 0xfec996, 0x7b4802 },
	{ 0xfecb98, 0x7b4a03 }, { 0xfece9a, 0x7c4b03 }, { 0xfed09d, 0x7d4d04 },
	{ 0xfed2a0, 0x7e4f04 },
};
#define FAMILY 12
#define RAMP 16

/* FNV-1a, mixed; not fl_hash, as colours must be the same everywhere. */
static const uint32_t empty_hash = 2166136261u;

static uint32_t hash_more(uint32_t h, struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		h = (h ^ (uint8_t)text.data[i]) * 16777619u;
	return h;
}

static uint32_t mix(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x7feb352du;
	return h ^ h >> 15;
}

static uint32_t hash(struct slice text)
{
	return mix(hash_more(empty_hash, text));
}

/* The part before Class.method, before "::", or before the first '_'. */
static struct slice package(struct slice name)
{
	static const bool special[256] = {
		['('] = true, ['<'] = true, ['/'] = true, [':'] = true,
		['.'] = true,
	};
	const char *end = NULL, *last = NULL;

	for (const char *p = name.data; p < name.data + name.size; p++) {
		if (!special[(uint8_t)*p])
			continue;
		if (*p == '(' || *p == '<')
			break;
		if (*p == '/')
			end = p, last = NULL;
		if (*p == ':')
			return (struct slice){ name.data, p - name.data };
		if (*p == '.') {
			end = last ? last : end;
			last = p;
		}
	}
	if (!end)
		end = last;
	if (!end)
		end = memchr(name.data, '_', name.size);
	return (struct slice){ name.data, end ? (size_t)(end - name.data) : 0 };
}

static struct fl_colors of_family(const struct fl_colors *family,
				  struct slice name)
{
	struct slice first = package(name);
	struct slice rest = { name.data + first.size, name.size - first.size };
	uint32_t h = hash_more(empty_hash, first);
	uint32_t hue = mix(h) % 3;
	uint32_t shade = mix(hash_more(h, rest)) % (FAMILY / 3);

	return family[hue * (FAMILY / 3) + shade];
}

static struct fl_colors of_ramp(const struct fl_colors *ramp,
				struct slice name)
{
	return ramp[hash(name) % RAMP];
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '$' ||
	       c == '<' || (c & 0x80);
}

/* ".so" as the ending of a library, maybe before a version or an offset. */
static bool is_library(struct slice at)
{
	return fl_slice_starts(at, ".so") &&
	       (at.size == 3 || !is_word(at.data[3]));
}

/* Of the arguments: pointers to functions, and libraries. */
static bool has_foreign(struct slice arguments)
{
	struct slice at = arguments;
	const char *dot;

	if (arguments.size && fl_slice_has(arguments, "(*"))
		return true;
	while (at.size && (dot = memchr(at.data, '.', at.size))) {
		at.size -= (size_t)(dot - at.data);
		at.data = dot;
		if (is_library(at))
			return true;
		at.data++;
		at.size--;
	}
	return false;
}

/*
 * a/b/C.m, a.b.C.m, C.m, a.b.C; but not paths, libraries, Go's methods of
 * pointers, or names with suffixes of compilers (".isra.0", ".cold").
 */
bool fl_looks_java(struct slice name)
{
	static const bool special[256] = {
		[' '] = true, ['('] = true, ['.'] = true, ['/'] = true,
	};
	const char *end = name.data + name.size;
	const char *dot = NULL, *before = NULL, *p;
	bool colon;

	if (!name.size || !is_word(*name.data) || *name.data == '<')
		return false;
	colon = memchr(name.data, ':', name.size);
	if ((colon && fl_slice_has(name, ":::")) ||
	    fl_slice_has(name, "$$Lambda"))
		return true;
	if (colon && fl_slice_has(name, "::"))
		return false;
	for (p = name.data; p < end && *p != '('; p++) {
		if (!special[(uint8_t)*p])
			continue;
		if (*p == ' ')
			return false;
		if (*p == '/')
			before = p, dot = NULL;
		if (*p == '.') {
			if (is_library((struct slice){ p, end - p }))
				return false;
			before = dot ? dot : before;
			dot = p;
		}
	}
	if (has_foreign((struct slice){ p, end - p }))
		return false;
	if (!dot)
		return before && before + 1 < p && is_word(before[1]);
	if (dot + 1 >= p || !is_word(dot[1]))
		return false;
	if (is_upper(dot[1]))
		return true;
	p = before ? before + 1 : name.data;
	return is_upper(*p) || *p == '$';
}

static bool is_python(struct slice name)
{
	return fl_slice_has(name, ".py:") || fl_slice_ends(name, ".py)") ||
	       fl_slice_has(name, ".py (") ||
	       fl_slice_starts(name, "<module>");
}

static bool is_script(struct slice name)
{
	return fl_slice_has(name, ".js:") || fl_slice_has(name, ".mjs:") ||
	       fl_slice_has(name, ".ts:") || fl_slice_has(name, "node:");
}

static const struct fl_colors *by_name(struct slice name)
{
	if (!name.size || *name.data == '[')
		return group;
	if (is_python(name))
		return python;
	if (is_script(name))
		return js;
	if (fl_slice_starts(name, "-[") || fl_slice_starts(name, "+["))
		return vm;
	return fl_slice_has(name, "::") && !fl_slice_has(name, ":::") ?
	       vm : native;
}

static const struct fl_colors *by_type(struct slice name, enum flame_type type)
{
	switch (type) {
	case FLAME_UNKNOWN:
		return by_name(name);
	case FLAME_INTERPRETED:
		return interp;
	case FLAME_JIT:
	case FLAME_JAVA_NATIVE:
		return jit;
	case FLAME_INLINED:
		return inlined;
	case FLAME_NATIVE:
		return native;
	case FLAME_CPP:
		return vm;
	case FLAME_KERNEL:
	case FLAME_WAKER:
		return kernel;
	case FLAME_C1:
		return c1;
	case FLAME_GROUP:
		return group;
	}
	return native;
}

static struct fl_colors pick_type(struct slice name, enum flame_type type)
{
	return of_family(by_type(name, type), name);
}

static struct fl_colors pick_java(struct slice name, enum flame_type type)
{
	if (type == FLAME_UNKNOWN && fl_looks_java(name))
		return of_family(jit, name);
	return pick_type(name, type);
}

/* Safe for all kinds of colour vision: fewer families, of other lightness. */
static struct fl_colors pick_cb(struct slice name, enum flame_type type)
{
	const struct fl_colors *family = by_type(name, type);

	if (type == FLAME_UNKNOWN && fl_looks_java(name))
		family = jit;
	if (family == jit || family == c1)
		return of_family(cb_java, name);
	if (family == inlined)
		return of_family(cb_inlined, name);
	if (family == interp)
		return of_family(cb_interp, name);
	if (family == native)
		return of_family(cb_native, name);
	if (family == vm)
		return of_family(cb_vm, name);
	if (family == kernel)
		return of_family(cb_kernel, name);
	return of_family(family == python ? cb_python : cb_other, name);
}

const char *fl_family_name(struct fl_colors colors)
{
	static const struct {
		const char *name;
		const struct fl_colors *at;
	} families[] = {
		{ "compiled", jit }, { "compiled by C1", c1 },
		{ "inlined", inlined }, { "interpreted", interp },
		{ "native", native }, { "C++, JVM", vm }, { "kernel", kernel },
		{ "Python", python }, { "JavaScript", js },
		{ "compiled", cb_java }, { "inlined", cb_inlined },
		{ "interpreted", cb_interp }, { "native", cb_native },
		{ "C++, JVM", cb_vm }, { "kernel", cb_kernel },
		{ "Python", cb_python },
	};

	for (size_t i = 0; i < FL_COUNT(families); i++)
		for (unsigned n = 0; n < FAMILY; n++)
			if (families[i].at[n].light == colors.light &&
			    families[i].at[n].dark == colors.dark)
				return families[i].name;
	return NULL;
}

/* Frames that are not code (root, threads, categories) are grey. */
#define RAMP_SCHEME(ramp, text) \
	static struct fl_colors pick_##ramp(struct slice name, \
					    enum flame_type type) \
	{ \
		if (type == FLAME_GROUP) \
			return of_family(group, name); \
		return of_ramp(ramp, name); \
	} \
	static const struct fl_scheme scheme_##ramp = { \
		.name = #ramp, .summary = text, .pick = pick_##ramp \
	};

RAMP_SCHEME(hot, "warm colours by name, for time on a processor")
RAMP_SCHEME(mem, "greens by name, for memory")
RAMP_SCHEME(io, "blues by name, for reading, writing and waiting")
RAMP_SCHEME(wakeup, "blue-greens by name, for wakers")
RAMP_SCHEME(lock, "violets by name, for locks")
RAMP_SCHEME(red, "reds by name")
RAMP_SCHEME(green, "greens by name")
RAMP_SCHEME(blue, "blues by name")
RAMP_SCHEME(aqua, "aquas by name")
RAMP_SCHEME(yellow, "yellows by name")
RAMP_SCHEME(purple, "purples by name")
RAMP_SCHEME(orange, "oranges by name")

static const struct fl_scheme scheme_type = {
	.name = "type",
	.summary = "how a frame ran: compiled, inlined, native, kernel (default)",
	.pick = pick_type,
	.by_type = true,
};
static const struct fl_scheme scheme_java = {
	.name = "java",
	.summary = "as type, and Java by its names where no type is known",
	.pick = pick_java,
	.by_type = true,
};
static const struct fl_scheme scheme_cb = {
	.name = "cb",
	.summary = "as java, in colours that are safe for colour-blind eyes",
	.pick = pick_cb,
	.by_type = true,
};

/* Groups: 24 hues by the golden angle, so that neighbours differ most. */
static const struct fl_colors hues[FL_HUES] = {
	{ 0xf0aabf, 0x6c3246 }, { 0xc0e9b2, 0x436635 }, { 0xb0bdf8, 0x3b4375 },
	{ 0xfed0b4, 0x804c2a }, { 0x7cd3cd, 0x005350 }, { 0xfac7f8, 0x744973 },
	{ 0xc9c583, 0x4f4a00 }, { 0xbbe0fe, 0x296086 }, { 0xf3abaa, 0x6e3334 },
	{ 0xabecc5, 0x2a6948 }, { 0xc4b6f3, 0x4b3d70 }, { 0xfed29c, 0x78521c },
	{ 0x7bd0df, 0x01515c }, { 0xfec9e3, 0x7d4664 }, { 0xb4cb8e, 0x3d4f15 },
	{ 0xc8dcff, 0x415a8b }, { 0xf1af97, 0x6d3622 }, { 0x9ceeda, 0x066a5a },
	{ 0xd6b1e7, 0x593867 }, { 0xeeda9a, 0x6b5918 }, { 0x86ccee, 0x024f6a },
	{ 0xffcbd3, 0x834552 }, { 0x9fd09f, 0x265329 }, { 0xd5d7ff, 0x545489 },
};

struct fl_colors fl_group_color(uint32_t n)
{
	return hues[n % FL_HUES];
}

struct fl_colors fl_mine_color(uint32_t n)
{
	static const struct fl_colors *const families[] = {
		orange, aqua, purple, green, blue, red,
	};

	return families[n % FL_COUNT(families)][RAMP / 2];
}

static struct slice package_of(struct slice name, enum flame_type type)
{
	(void)type;
	return package(name);
}

/* module`function, /usr/lib/x.so, the first two parts of a Java package. */
static struct slice library_of(struct slice name, enum flame_type type)
{
	const char *end = name.data + name.size, *p;
	unsigned parts = 0;

	p = memchr(name.data, '`', name.size);
	if (p || (name.size && (*name.data == '[' || *name.data == '/')))
		return (struct slice){ name.data, (p ? p : end) - name.data };
	name = package(name);
	if (type == FLAME_UNKNOWN || type == FLAME_NATIVE ||
	    type == FLAME_CPP || type == FLAME_KERNEL)
		return name;
	for (p = name.data; p < name.data + name.size; p++)
		if ((*p == '/' || *p == '.') && ++parts == 2)
			break;
	name.size = p - name.data;
	return name;
}

/* Frames without a group are grey. */
static struct fl_colors pick_hue(struct slice of, struct slice name,
				 enum flame_type type)
{
	if (type == FLAME_GROUP || !of.size)
		return of_family(group, name);
	return fl_group_color(hash(of));
}

static struct fl_colors pick_package(struct slice name, enum flame_type type)
{
	return pick_hue(package_of(name, type), name, type);
}

static struct fl_colors pick_library(struct slice name, enum flame_type type)
{
	return pick_hue(library_of(name, type), name, type);
}

static struct fl_colors pick_mine(struct slice name, enum flame_type type)
{
	(void)type;
	return of_family(group, name);
}

static struct fl_colors pick_chain(struct slice name, enum flame_type type)
{
	if (type == FLAME_GROUP || fl_slice_is(name, "--"))
		return of_family(group, name);
	return of_ramp(type == FLAME_WAKER || fl_slice_has(name, "_[w]") ?
		       wakeup : io, name);
}

static struct fl_colors pick_js(struct slice name, enum flame_type type)
{
	if (type != FLAME_UNKNOWN && type != FLAME_JIT)
		return pick_type(name, type);
	if (fl_slice_has(name, "node_modules/"))
		return of_family(interp, name);
	if (fl_slice_has(name, "::"))
		return of_family(vm, name);
	if (type == FLAME_JIT || is_script(name) || fl_slice_has(name, ".js"))
		return of_family(js, name);
	return of_family(fl_slice_has(name, ":") ? inlined : by_name(name),
			 name);
}

static struct fl_colors pick_perl(struct slice name, enum flame_type type)
{
	if (type != FLAME_UNKNOWN)
		return pick_type(name, type);
	if (fl_slice_has(name, "::"))
		return of_family(jit, name);
	if (fl_slice_has(name, "Perl") || fl_slice_has(name, ".pl"))
		return of_family(vm, name);
	return pick_type(name, type);
}

static struct fl_colors pick_python(struct slice name, enum flame_type type)
{
	if (type != FLAME_UNKNOWN)
		return pick_type(name, type);
	if (fl_slice_has(name, "site-packages"))
		return of_family(inlined, name);
	if (fl_slice_has(name, "lib/python") ||
	    fl_slice_starts(name, "<built-in") ||
	    fl_slice_starts(name, "<frozen") ||
	    fl_slice_starts(name, "<method"))
		return of_family(vm, name);
	return pick_type(name, type);
}

static struct fl_colors pick_rust(struct slice name, enum flame_type type)
{
	const char *tick = memchr(name.data, '`', name.size);
	struct slice s = name;

	if (type == FLAME_KERNEL || type == FLAME_GROUP)
		return pick_type(name, type);
	if (tick) {
		s.size -= tick + 1 - s.data;
		s.data = tick + 1;
	}
	if (s.size && *s.data == '<') {
		s.data++;
		s.size--;
	}
	if (fl_slice_starts(s, "core::") || fl_slice_starts(s, "std::") ||
	    fl_slice_starts(s, "alloc::"))
		return of_family(c1, name);
	return of_family(fl_slice_has(s, "::") ? inlined : vm, name);
}

static const struct fl_scheme scheme_chain = {
	.name = "chain",
	.summary = "blue-greens for wakers, blues for the rest",
	.pick = pick_chain,
};
static const struct fl_scheme scheme_js = {
	.name = "js",
	.summary = "JavaScript: own, node_modules, builtins, native",
	.pick = pick_js,
};
static const struct fl_scheme scheme_perl = {
	.name = "perl",
	.summary = "Perl: modules, the interpreter, native",
	.pick = pick_perl,
};
static const struct fl_scheme scheme_python = {
	.name = "python",
	.summary = "Python: own, site-packages, library, native",
	.pick = pick_python,
};
static const struct fl_scheme scheme_rust = {
	.name = "rust",
	.summary = "Rust: the standard library, crates, the rest",
	.pick = pick_rust,
};
static const struct fl_scheme scheme_package = {
	.name = "package",
	.summary = "a hue for each package, the heaviest ones apart",
	.pick = pick_package,
	.group = package_of,
};
static const struct fl_scheme scheme_library = {
	.name = "library",
	.summary = "a hue for each library, the heaviest ones apart",
	.pick = pick_library,
	.group = library_of,
};
static const struct fl_scheme scheme_mine = {
	.name = "mine",
	.summary = "what --mine matches, all else grey",
	.pick = pick_mine,
};

/* The default of fl_classic.by is the sum of code points. */
#define CLASSIC(id, number, text) \
	static struct fl_colors pick_classic_##id(struct slice s, \
						    enum flame_type type) \
	{ \
		struct fl_classic how = { .palette = number }; \
		uint32_t c = fl_classic_color(&how, s, type); \
		return (struct fl_colors){ c, fl_classic_dark(c) }; \
	} \
	static const struct fl_scheme scheme_classic_##id = { \
		.name = "classic-" #id, .summary = text, \
		.pick = pick_classic_##id, .classic = number \
	};

#define AS "flamegraph.pl's own "
CLASSIC(hot, FL_CLASSIC_HOT, AS "hot, to the last digit")
CLASSIC(mem, FL_CLASSIC_MEM, AS "mem")
CLASSIC(io, FL_CLASSIC_IO, AS "io")
CLASSIC(wakeup, FL_CLASSIC_WAKEUP, AS "wakeup")
CLASSIC(chain, FL_CLASSIC_CHAIN, AS "chain")
CLASSIC(java, FL_CLASSIC_JAVA, AS "java")
CLASSIC(js, FL_CLASSIC_JS, AS "js")
CLASSIC(perl, FL_CLASSIC_PERL, AS "perl")
CLASSIC(python, FL_CLASSIC_PYTHON, "inferno's own python")
CLASSIC(rust, FL_CLASSIC_RUST, "inferno's own rust")
CLASSIC(red, FL_CLASSIC_RED, AS "red")
CLASSIC(green, FL_CLASSIC_GREEN, AS "green")
CLASSIC(blue, FL_CLASSIC_BLUE, AS "blue")
CLASSIC(aqua, FL_CLASSIC_AQUA, AS "aqua")
CLASSIC(yellow, FL_CLASSIC_YELLOW, AS "yellow")
CLASSIC(purple, FL_CLASSIC_PURPLE, AS "purple")
CLASSIC(orange, FL_CLASSIC_ORANGE, AS "orange")

const struct fl_scheme *const fl_schemes[] = {
	&scheme_type, &scheme_java, &scheme_cb, &scheme_package,
	&scheme_library, &scheme_mine, &scheme_js, &scheme_perl,
	&scheme_python, &scheme_rust, &scheme_chain, &scheme_hot, &scheme_mem,
	&scheme_io, &scheme_wakeup, &scheme_lock, &scheme_red, &scheme_green,
	&scheme_blue, &scheme_aqua, &scheme_yellow, &scheme_purple,
	&scheme_orange, &scheme_classic_hot, &scheme_classic_mem,
	&scheme_classic_io, &scheme_classic_wakeup, &scheme_classic_chain,
	&scheme_classic_java, &scheme_classic_js, &scheme_classic_perl,
	&scheme_classic_python, &scheme_classic_rust, &scheme_classic_red,
	&scheme_classic_green, &scheme_classic_blue, &scheme_classic_aqua,
	&scheme_classic_yellow, &scheme_classic_purple,
	&scheme_classic_orange, NULL
};

const struct fl_scheme *fl_scheme_named(struct flame *flame, const char *name)
{
	char list[512];
	size_t used = 0;

	list[0] = '\0';
	for (size_t i = 0; fl_schemes[i]; i++) {
		if (!name || strcmp(fl_schemes[i]->name, name) == 0)
			return fl_schemes[i];
		used += snprintf(list + used, sizeof(list) - used, " %s",
				 fl_schemes[i]->name);
		used = FL_MIN(used, sizeof(list) - 1);
	}
	fl_fail(flame, "colors '%.64s': not one of%s", name, list);
	return NULL;
}

const struct fl_colors fl_ramp[FL_RAMP_STEPS] = {
	{ 0x6fb6ff, 0x1760a0 }, { 0x87c2fe, 0x215688 }, { 0x9dcdff, 0x264c72 },
	{ 0xb5d7fc, 0x29425c }, { 0xcde2f8, 0x2b3847 }, { 0xe9ebee, 0x2c3036 },
	{ 0xf7d7cf, 0x45312c }, { 0xf9c6b8, 0x59362d }, { 0xfbb4a2, 0x6d392c },
	{ 0xfba28b, 0x813c2b }, { 0xfb8f74, 0x963f29 },
};

/* By the square root, or one large change would make all others pale. */
unsigned fl_ramp_step(double change, double max_change)
{
	double size = change < 0 ? -change : change;
	unsigned k = 0;

	/* 25: the square of FL_RAMP_NONE.  1e-9: rounding errors of scaled weights are not a change. */
	while (k < FL_RAMP_NONE &&
	       25 * size > (k ? k * k : 1e-9) * max_change)
		k++;
	return change < 0 ? FL_RAMP_NONE - k : FL_RAMP_NONE + k;
}

uint32_t fl_paint(struct fl_paints *paints, struct fl_colors colors)
{
	uint64_t key = (uint64_t)colors.light << 32 | colors.dark;
	bool fresh = false;
	uint64_t *number = fl_map_put(&paints->map, key, &fresh);

	if (number && !fresh)
		return *number;
	if (!number || !fl_grow(&paints->colors, &paints->capacity,
				paints->count + 1, sizeof(*paints->colors))) {
		paints->failed = true;
		return 0;
	}
	paints->colors[paints->count] = colors;
	*number = paints->count;
	return paints->count++;
}

void fl_paints_free(struct fl_paints *paints)
{
	fl_map_free(&paints->map);
	fl_free(paints->colors);
}
