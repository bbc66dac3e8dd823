// Adds up the marks of a verdict while they are typed. Without it, the hub adds them up.
const form = document.getElementById("verdict-form");
const sum = document.getElementById("marks-sum");
if (form && sum) {
  const marks = [...form.querySelectorAll("input[name^='mark-']")];
  const add = () => {
    const given = marks.map((mark) => Number.parseFloat(mark.value)).filter(Number.isFinite);
    sum.value = String(Math.round(given.reduce((total, mark) => total + mark, 0) * 100) / 100);
    const missing = marks.length - given.length;
    document.getElementById("marks-missing").textContent = missing ? `${missing} not marked yet` : "";
  };
  form.addEventListener("input", add);
  add();
}
