// Loaded into a process by `--import`: on SIGUSR2 it writes the scripts whose functions ran since the last signal (or since the start).
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

process.on("SIGUSR2", () => {
  session.post("Profiler.takePreciseCoverage", (error, taken) => {
    if (error !== null) throw new Error(`no coverage was taken: ${error.message}`);
    const ran = taken.result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0));
    const urls = ran.map(({ url }) => url).filter((url) => url.startsWith("file:"));
    writeFileSync(`${process.env.SHAPE_DIRECTORY}/${process.pid}.json`, JSON.stringify(urls), { flag: "wx" });
  });
});
