// A bar chart of one figure for some workloads, as SVG. Bars grow with the logarithm, as peers differ by orders of magnitude.
import { shown } from './columns.mjs';

const WIDTH = 860;
const LABEL_WIDTH = 130;
const BAR = { height: 16, gap: 5 };
const TITLE_HEIGHT = 42;
const VALUE_WIDTH = 90;

/**
 * @param {{ title: string, unit: string, bars: { name: string, value: number, own: boolean }[] }[]} groups
 * @returns {string} an SVG that is readable on light and dark ground
 */
export function chart(groups) {
  let y = 10;
  const parts = [];
  for (const group of groups) {
    parts.push(text(0, y + 18, `${group.title} (${group.unit})`, 'title'));
    y += TITLE_HEIGHT - 14;
    const scale = scaleOf(group.bars.map(({ value }) => value));
    for (const bar of group.bars) {
      parts.push(barOf(bar, y, scale));
      y += BAR.height + BAR.gap;
    }
    y += 12;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" font-family="sans-serif">
<style>
  rect.page { fill: #ffffff }
  text { fill: #24292f; font-size: 12px }
  text.title { font-size: 14px; font-weight: bold }
  rect.own { fill: #1a7f5a }
  rect.other { fill: #8c959f }
</style>
<rect class="page" width="100%" height="100%"/>
${parts.join('\n')}
</svg>
`;
}

function barOf({ name, value, own }, y, scale) {
  const length = scale(value);
  const baseline = y + BAR.height - 4;
  return [
    text(LABEL_WIDTH - 8, baseline, name, 'name', 'end'),
    `<rect class="${own ? 'own' : 'other'}" x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR.height}" rx="2"/>`,
    text(LABEL_WIDTH + length + 6, baseline, shown(value), 'value'),
  ].join('\n');
}

/** Half a decade below the smallest bar is where they begin. */
function scaleOf(values) {
  const low = Math.log10(Math.min(...values)) - 0.5;
  const high = Math.log10(Math.max(...values));
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  return (value) => ((Math.log10(value) - low) / (high - low)) * room;
}

function text(x, y, content, className, anchor = 'start') {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text class="${className}" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escaped}</text>`;
}
