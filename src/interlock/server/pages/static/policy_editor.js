// The policy editor: checks the form while typing, and confirms before removing. The page works without it.
"use strict";

const editor = $("form[data-check]");
if (editor) {
  const result = $(".check-result", editor);
  let checkTimer = 0;
  const check = async () => {
    const body = new URLSearchParams(new FormData(editor));
    const response = await fetch(editor.dataset.check, { method: "POST", body, headers: { "x-csrf-token": $("meta[name=csrf]").content } });
    if (!response.ok) return;
    const { error, warnings } = await response.json();
    result.textContent = error || ["No errors.", ...warnings].join(" ");
    $(".warnings").replaceChildren();
    result.className = `check-result ${error ? "bad" : "good"}`;
  };
  editor.addEventListener("input", () => { clearTimeout(checkTimer); checkTimer = setTimeout(check, 300); });
}

// Confirm before removing

for (const button of $$('button[value="remove"]')) {
  button.addEventListener("click", (event) => { if (!confirm("Remove this policy? Its versions are kept and can be restored.")) event.preventDefault(); });
}
