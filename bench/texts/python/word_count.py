import collections
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read().lower()
words = re.findall(r"[a-z']+", text)
stop = set("the a an and or of to in is it that for on with as was by be at this".split())
counts = collections.Counter(word for word in words if word not in stop)


def bar(count, most, width=40):
    return "#" * max(1, round(count / most * width))


top = counts.most_common(25)
most = top[0][1] if top else 1
for word, count in top:
    print(f"{word:>15} {count:6d} {bar(count, most)}")

lengths = collections.Counter(len(word) for word in words)
print()
for length in sorted(lengths):
    print(f"{length:3d} {lengths[length]}")
print(f"{len(words)} words, {len(counts)} different, mean length {sum(map(len, words)) / len(words):.2f}")

sentences = [sentence for sentence in re.split(r"[.!?]+\s", text) if sentence.strip()]
longest = max(sentences, key=len, default="")
print(f"{len(sentences)} sentences, the longest has {len(longest.split())} words:")
print(longest[:200])
