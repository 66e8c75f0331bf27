import DuetCaching
import DuetTesting
import Testing

@Suite
struct EvictionQueuesTests {
    @Test func `random operations never evict an unknown entry or leave one behind`() {
        for capacity in [1, 2, 10, 100, 3000] {
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = SeededGenerator(seed: seed)
            var model = EvictionModel(capacity: capacity)
            var free = Array(0...capacity)
            for _ in 0..<20_000 {
                switch Int.random(in: 0..<20, using: &random) {
                case 0:
                    let id = Int.random(in: 0...capacity, using: &random)
                    guard model.weights[id] != nil else { continue }
                    model.remove(id)
                    free.append(id)
                case 1..<10:
                    let id = Int.random(in: 0...capacity, using: &random)
                    guard model.weights[id] != nil else { continue }
                    if Bool.random(using: &random) {
                        model.use(id, count: Int.random(in: 1...3, using: &random))
                    } else {
                        model.unreported[id] = Int.random(in: 1...3, using: &random)
                    }
                default:
                    guard let id = free.popLast() else { continue }
                    let weight = Int.random(in: 1...max(1, capacity / 5), using: &random)
                    let key = Int.random(in: 0..<capacity * 3, using: &random)
                    guard let victims = model.insert(id, hash: scattered(key), weight: weight) else {
                        Issue.record("No entry was chosen, or an unknown one (capacity \(capacity), seed \(seed)).")
                        return
                    }
                    free += victims
                }
                #expect(model.weight <= capacity, "seed \(seed)")
            }
            let count = model.weights.count
            for _ in 0..<count { #expect(model.evict() != nil, "seed \(seed)") }
            #expect(model.weights.isEmpty && model.evict() == nil, "seed \(seed)")
        }
    }

    @Test func `an entry whose uses were not reported is spared`() {
        var model = EvictionModel(capacity: 10)
        for id in 0..<10 { _ = model.insert(id) }
        for id in 0..<9 { model.unreported[id] = 3 }
        #expect(model.insert(10) == [9])
    }

    @Test func `entries that were read once or never are evicted from the small queue`() {
        // The small queue has two entries. The first 18 entries fill the main queue.
        var model = EvictionModel(capacity: 20)
        for id in 0..<20 { _ = model.insert(id) }
        model.use(18)
        model.use(19, count: 2)
        #expect(model.insert(20) == [18])
        // 19 moves to the main queue, from which 0 is evicted.
        #expect(model.insert(21) == [0])
        #expect(model.insert(22) == [20])
    }

    @Test func `an entry that was evicted before is added to the main queue`() {
        var model = EvictionModel(capacity: 20)
        for id in 0..<20 { _ = model.insert(id) }
        #expect(model.insert(20) == [18])
        // 18 is added again. The small queue has one entry less than before, and the main queue one more than fits.
        #expect(model.insert(21, hash: scattered(18)) == [19])
        #expect(model.insert(22) == [0])
        #expect(model.insert(23) == [20])
    }

    @Test func `much of a loop that does not fit is kept`() {
        // LRU gets no hits.
        let keys = (0..<30_000).map { $0 % 600 }
        #expect(EvictionModel.hitRatio(capacity: 400, keys: keys) > 0.25)
    }

    @Test(arguments: [400, 2000])
    func `recent keys get about as many hits as from LRU`(capacity: Int) {
        // Each key is used twice. LRU keeps it until the second time, and a small queue that does not grow evicts it.
        let keys = (0..<60 * capacity).flatMap { $0 < capacity / 3 ? [$0] : [$0, $0 - capacity / 3] }
        #expect(EvictionModel.hitRatio(capacity: capacity, keys: keys) > 0.47)
    }

    @Test func `the queues keep up with a program that changes`() {
        let recent = (0..<20_000).flatMap { $0 < 130 ? [$0] : [$0, $0 - 130] }
        let loop = (0..<60_000).map { 1_000_000 + $0 % 600 }
        // LRU gets 28 percent, only from the recent keys.
        #expect(EvictionModel.hitRatio(capacity: 400, keys: recent + loop + recent) > 0.39)
    }

    @Test func `popular keys are kept during scans`() {
        var random = SeededGenerator(seed: 1)
        var keys: [Int] = []
        for scan in 0..<200 {
            keys += (0..<500).map { _ in Int.random(in: 0..<300, using: &random) }
            keys += 1_000 * (scan + 1)..<1_000 * (scan + 1) + 500
        }
        // LRU gets 26 percent.
        #expect(EvictionModel.hitRatio(capacity: 400, keys: keys) > 0.36)
    }
}
