// Makes a list of links a tree for the keyboard, after the WAI-ARIA pattern of a navigation tree.
// Arrows move, Home and End go to the ends, a letter to the next link that begins with it. Without this script it is a list.
const OPEN_BRANCHES = 6; // a longer tree starts with closed branches

function makeTree(tree) {
  const links = [...tree.querySelectorAll("a")];
  tree.setAttribute("role", "tree");
  tree.setAttribute("aria-labelledby", tree.dataset.tree);
  for (const item of tree.querySelectorAll("li")) item.setAttribute("role", "none");
  const branches = links.filter((link) => groupOf(link));
  links.forEach((link) => {
    link.setAttribute("role", "treeitem");
    link.tabIndex = -1;
  });
  branches.forEach((link, number) => {
    groupOf(link).setAttribute("role", "group");
    link.setAttribute("aria-expanded", String(number === 0 || branches.length <= OPEN_BRANCHES));
  });
  links[0].tabIndex = 0;
  tree.addEventListener("keydown", (event) => handleKey(event, tree));
  tree.addEventListener("focusin", (event) => rove(tree, event.target.closest("a")));
  tree.addEventListener("click", (event) => toggleAtMark(event));
}

const groupOf = (link) => link.parentElement.querySelector(":scope > ul");
const parentOf = (link) => link.parentElement.parentElement.closest("li")?.querySelector(":scope > a");
const isOpen = (link) => link.getAttribute("aria-expanded") === "true";
const visible = (tree) => [...tree.querySelectorAll("a")].filter((link) => link.checkVisibility());

function rove(tree, link) {
  if (!link) return;
  for (const other of tree.querySelectorAll("a[tabindex='0']")) other.tabIndex = -1;
  link.tabIndex = 0;
}

// A click on the triangle opens or closes a branch; a click on the words follows the link.
function toggleAtMark(event) {
  const link = event.target.closest("a[aria-expanded]");
  if (!link || event.offsetX > 20 || event.target !== link) return;
  event.preventDefault();
  open(link, !isOpen(link));
}

function open(link, should) {
  link.setAttribute("aria-expanded", String(should));
}

const KEYS = {
  ArrowDown: (link, shown) => shown[shown.indexOf(link) + 1],
  ArrowUp: (link, shown) => shown[shown.indexOf(link) - 1],
  Home: (link, shown) => shown[0],
  End: (link, shown) => shown.at(-1),
  ArrowRight(link) {
    if (!groupOf(link)) return null;
    if (isOpen(link)) return groupOf(link).querySelector("a");
    return open(link, true);
  },
  ArrowLeft(link) {
    if (groupOf(link) && isOpen(link)) return open(link, false);
    return parentOf(link);
  },
};

function handleKey(event, tree) {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
  const move = KEYS[event.key];
  if (move) {
    event.preventDefault();
    move(link, visible(tree))?.focus();
  } else if (event.key === "*") {
    event.preventDefault();
    for (const branch of tree.querySelectorAll("a[aria-expanded]")) open(branch, true);
  } else if (/^\p{L}$/u.test(event.key)) {
    findLetter(link, visible(tree), event.key)?.focus();
  }
}

function findLetter(link, shown, letter) {
  const at = shown.indexOf(link);
  const inOrder = [...shown.slice(at + 1), ...shown.slice(0, at)];
  return inOrder.find((other) => other.textContent.trim().toLowerCase().startsWith(letter.toLowerCase()));
}

for (const tree of document.querySelectorAll("[data-tree]")) makeTree(tree);
