import sharp from "sharp";
import { inspectFile } from "./inspect-file.ts";
import type { InspectorReply, InspectorTask } from "./inspector-messages.ts";
import { renderImage } from "./render-image.ts";

// Every loader of the image library can be attacked, and its build also reads SVG and more. All loaders except those
// of the three accepted formats are therefore disabled.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpegFile", "VipsForeignLoadPngFile", "VipsForeignLoadNsgifFile"] });
sharp.cache(false);
sharp.concurrency(1);

async function perform(task: InspectorTask): Promise<InspectorReply> {
  try {
    if (task.kind === "inspect")
      return { kind: "inspected", inspection: await inspectFile(task.path, task.contentType) };
    await renderImage(task.source, task.target, task.settings);
    return { kind: "rendered" };
  } catch (error) {
    return { kind: "failed", message: (error as Error).message };
  }
}

process.on("message", (task: InspectorTask) => {
  void perform(task).then((reply) => process.send?.(reply));
});
// The parent process has ended, so this process ends as well.
process.on("disconnect", () => process.exit(0));
