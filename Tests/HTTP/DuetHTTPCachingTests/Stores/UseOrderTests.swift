import DuetHTTPCaching
import DuetTesting
import Testing

struct UseOrderTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `it behaves like a list in any order of operations`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var order = UseOrder<Int>()
        var list: [Int] = []
        for step in 1...5_000 {
            let id = Int.random(in: 1...20, using: &generator)
            list.removeAll { $0 == id }
            if Bool.random(using: &generator) {
                order.use(id)
                list.append(id)
            } else {
                order.remove(id)
            }
            #expect(order.first == list.first, "seed \(seed), step \(step)")
            #expect(order.count == list.count, "seed \(seed), step \(step)")
            #expect(order.contains(id) == list.contains(id), "seed \(seed), step \(step)")
        }
        var rest: [Int] = []
        while let first = order.first {
            rest.append(first)
            order.remove(first)
        }
        #expect(rest == list, "seed \(seed)")
        #expect(order.count == 0)
    }
}
