/** This is the page of a report, which carries its session, or that of a view, whose server sends it many. */
import type { ReportData } from "../render.ts";
import { createModel } from "./model.ts";
import { reportParts, skipLink } from "./report-parts.ts";
import { viewPage } from "./view-page.ts";

const block = document.getElementById("data");
if (block === null) viewPage();
else {
  const data = JSON.parse(block.textContent ?? "") as ReportData;
  document.body.append(skipLink(), reportParts(createModel(data, new AbortController().signal), ""));
}
