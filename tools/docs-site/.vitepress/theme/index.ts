// The default theme without its web fonts: readers have good fonts of their own.
import theme from "vitepress/theme-without-fonts";
import "./site.css";

export default theme;
