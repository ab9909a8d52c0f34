// This is the default theme without its web fonts, because readers have good fonts of their own.
import theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import "./site.css";

const request = `curl "$BASE_URL/api/v1/domain-events" \\
  -H "Authorization: Bearer $PROJECT_CREDENTIAL" \\
  -H "Idempotency-Key: order-A-1-placed" \\
  -H "Content-Type: application/json" \\
  -d '{"type": "order.placed", "schema_version": 1,
       "data": {"order": "A-1"}}'`;

const outcome =
  "The platform stores the event durably, gives it a position in your log, and sends it to your subscribers, signed.";

/** Renders an example request next to the title of the home page. */
const FirstRequest = () => h("div", { class: "first-request" }, [h("pre", h("code", request)), h("p", outcome)]);

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { "home-hero-image": () => h(FirstRequest) }),
};
