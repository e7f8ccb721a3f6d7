// How numbers are written: four significant digits, in scientific form below 1e-3 and from 1e5 on, as in the tables.
(() => {
  "use strict";

  function numberText(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size < 1e-3 || size >= 1e5) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
    return String(Number(value.toPrecision(4)));
  }

  function countText(value) {
    if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
    if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
    return numberText(value);
  }

  function tickText(log) {
    if (!log) return numberText;
    const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    return (value) => {
      const power = Math.log10(value);
      if (Math.abs(power - Math.round(power)) > 1e-9) return numberText(value);
      return "10" + String(Math.round(power)).replace("-", "⁻").replace(/\d/g, (d) => digits[d]);
    };
  }

  globalThis.mobloNumbers = { numberText, countText, tickText };
})();
