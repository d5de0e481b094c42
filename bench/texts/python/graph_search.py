import heapq
import sys
from collections import deque


class Graph:
    def __init__(self):
        self.edges = {}

    def add(self, a, b, weight=1.0, directed=False):
        self.edges.setdefault(a, {})[b] = weight
        self.edges.setdefault(b, {})
        if not directed:
            self.edges[b][a] = weight

    def neighbours(self, node):
        return self.edges.get(node, {}).items()

    @classmethod
    def read(cls, lines):
        graph = cls()
        for line in lines:
            parts = line.split()
            if len(parts) >= 2:
                graph.add(parts[0], parts[1], float(parts[2]) if len(parts) > 2 else 1.0)
        return graph


def path_to(previous, node):
    path = [node]
    while previous.get(node) is not None:
        node = previous[node]
        path.append(node)
    return path[::-1]


def breadth_first(graph, start, goal):
    queue, previous = deque([start]), {start: None}
    while queue:
        node = queue.popleft()
        if node == goal:
            return path_to(previous, goal)
        for other, _ in graph.neighbours(node):
            if other not in previous:
                previous[other] = node
                queue.append(other)
    return None


def dijkstra(graph, start, goal, heuristic=lambda node: 0):
    best, previous = {start: 0.0}, {start: None}
    queue = [(heuristic(start), start)]
    done = set()
    while queue:
        _, node = heapq.heappop(queue)
        if node in done:
            continue
        if node == goal:
            return best[goal], path_to(previous, goal)
        done.add(node)
        for other, weight in graph.neighbours(node):
            cost = best[node] + weight
            if cost < best.get(other, float("inf")):
                best[other], previous[other] = cost, node
                heapq.heappush(queue, (cost + heuristic(other), other))
    return float("inf"), None


def components(graph):
    seen, found = set(), []
    for start in graph.edges:
        if start in seen:
            continue
        part, stack = set(), [start]
        while stack:
            node = stack.pop()
            if node not in part:
                part.add(node)
                stack.extend(other for other, _ in graph.neighbours(node))
        seen |= part
        found.append(part)
    return found


def topological(graph):
    degree = {node: 0 for node in graph.edges}
    for node in graph.edges:
        for other, _ in graph.neighbours(node):
            degree[other] += 1
    ready = [node for node, count in degree.items() if count == 0]
    order = []
    while ready:
        node = ready.pop()
        order.append(node)
        for other, _ in graph.neighbours(node):
            degree[other] -= 1
            if degree[other] == 0:
                ready.append(other)
    return order if len(order) == len(degree) else None


if __name__ == "__main__":
    graph = Graph.read(open(sys.argv[1]))
    print(breadth_first(graph, sys.argv[2], sys.argv[3]))
    print(dijkstra(graph, sys.argv[2], sys.argv[3]))
    print(len(components(graph)), "components")
