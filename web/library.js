// The parts of ECharts that the pages use; `npm run build` makes dist/charts.js of them.
import * as core from "echarts/core";
import { CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { AriaComponent, DataZoomInsideComponent, GridComponent, LegendPlainComponent, TooltipComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

core.use([CustomChart, LineChart, ScatterChart, AriaComponent, DataZoomInsideComponent, GridComponent, LegendPlainComponent,
  TooltipComponent, SVGRenderer]);
globalThis.echarts = { init: core.init, getInstanceByDom: core.getInstanceByDom, version: core.version };
