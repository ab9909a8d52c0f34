// Improves the pages if JavaScript is enabled. Every page also works without it.

/** Adds a button that shows a password. It is hidden again before it is sent, so that browsers do not remember it as text. */
function offerToShow(input) {
  const { show, hide } = input.dataset;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn reveal";
  button.setAttribute("aria-controls", input.id);
  const reveal = (isShown) => {
    input.type = isShown ? "text" : "password";
    button.textContent = isShown ? hide : show;
  };
  reveal(false);
  button.addEventListener("click", () => reveal(input.type === "password"));
  input.form?.addEventListener("submit", () => reveal(false));
  input.after(button);
}

/** Shows a time in the reader's time zone instead of UTC. */
function localize(time) {
  const { lang } = document.documentElement;
  const style = { dateStyle: "medium", timeStyle: "short" };
  time.textContent = new Intl.DateTimeFormat(time.dataset.locale ?? lang, style).format(new Date(time.dateTime));
}

for (const input of document.querySelectorAll("input[data-show]")) offerToShow(input);
for (const time of document.querySelectorAll("time[data-locale]")) localize(time);
