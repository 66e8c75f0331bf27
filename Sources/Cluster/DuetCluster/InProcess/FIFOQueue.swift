package struct FIFOQueue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    package var count: Int { elements.count - head }
    package var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    package init() {}

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head].take()
        head += 1
        // Each removal moves at most two elements, on average.
        if head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func updateFirst(_ body: (inout Element) -> Void) {
        guard var element = first else { return }
        body(&element)
        elements[head] = element
    }

    package mutating func removeAll(where isRemoved: (Element) -> Bool) {
        elements = elements[head...].filter { $0.map(isRemoved) == false }
        head = 0
    }
}
