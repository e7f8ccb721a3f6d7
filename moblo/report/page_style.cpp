#include "moblo/report/page_style.hpp"

namespace moblo {

const char* const page_style = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#5a6675;--line:#dde2e8;
--good:#00734f;--bad:#b3380a;--wait:#6b5300;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b65a91;--c4:#b98200;--c5:#3a9bd9;--c6:#444c56}
@media (prefers-color-scheme:dark){:root{--page:#11151b;--card:#1a2029;--ink:#e6eaf0;--soft:#9aa7b6;--line:#303945;
--good:#3ecf9f;--bad:#ff8a5c;--wait:#e7c35a;
--c0:#4fb0ee;--c1:#ff8a3d;--c2:#2fd0a0;--c3:#e59bc6;--c4:#f0b429;--c5:#8fd0ff;--c6:#c3ccd6}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1320px;margin:0 auto;padding:28px 20px 48px}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:32px 0 12px}
p{margin:2px 0 6px;max-width:75ch;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:12px;margin:20px 0}
.tile,figure,details,.scroll{background:var(--card);border:1px solid var(--line);border-radius:10px}
.tile{padding:10px 14px}
.tile b{display:block;font-size:1.15rem;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.tile span{color:var(--soft);font-size:.82rem}
.grid-of-figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,360px),1fr));gap:16px}
figure{margin:0;padding:14px 14px 10px;break-inside:avoid;min-width:0;display:flex;flex-direction:column}
figcaption{font-weight:600;margin-bottom:4px;overflow-wrap:anywhere}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:0 0 4px;padding:0;
font-size:.85rem;color:var(--soft)}
.legend svg{width:26px;height:8px;margin-right:6px;vertical-align:middle}
.plot{display:block;width:100%;height:auto;margin-top:auto}
.grid{stroke:var(--line);stroke-width:1;fill:none}
.tick,.label{fill:var(--soft);font-size:11.5px;font-family:inherit}
.tick.y{text-anchor:end}.tick.x,.label{text-anchor:middle}
.power{font-size:8.5px}
.curve{fill:none;stroke-width:1.8;stroke-linejoin:round}
.whisker{fill:none;stroke-width:1.4}
.noise{fill:none;stroke-width:1;opacity:.28;stroke-linejoin:round}
.empty{color:var(--soft);margin:auto;padding:60px 0}
.scroll{overflow-x:auto;-webkit-overflow-scrolling:touch}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:7px 12px;border-bottom:1px solid var(--line);vertical-align:top}
tbody tr:last-child>*{border-bottom:0}
thead th{color:var(--soft);font-weight:600;white-space:nowrap}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
thead .n{text-align:right}
.met,.good{color:var(--good);font-weight:600}.missed,.bad{color:var(--bad);font-weight:600}
.open{color:var(--wait);font-weight:600}
.met,.missed,.open{white-space:nowrap}
details{margin-top:12px}
summary{cursor:pointer;padding:10px 14px;font-weight:600;overflow-wrap:anywhere}
details table{border-top:1px solid var(--line)}
details th{font-weight:400;color:var(--soft);width:40%;overflow-wrap:anywhere}
details td{overflow-wrap:anywhere}
.bars{margin:8px 0 auto}
.bars th{font-weight:400}.bars th,.bars td{border:0;padding:5px 6px;vertical-align:middle}
.bars td{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.bars .bar{width:45%}
.bar span{display:block;height:12px;border-radius:3px;min-width:2px;background:var(--c0);
print-color-adjust:exact;-webkit-print-color-adjust:exact}
@media (max-width:560px){main{padding:18px 12px 32px}th,td{padding:6px 8px}.tiles{grid-template-columns:1fr 1fr}}
@media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#333;--line:#bbb;
--good:#00734f;--bad:#b3380a;--wait:#6b5300;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b65a91;--c4:#b98200;--c5:#3a9bd9;--c6:#444c56}
main{max-width:none;padding:0}.grid-of-figures{grid-template-columns:1fr 1fr}
.scroll{overflow:visible}}
)css";

}  // namespace moblo
