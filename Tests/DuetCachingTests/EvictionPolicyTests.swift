import DuetCaching
import DuetTesting
import Testing

@Suite
struct EvictionPolicyTests {
    static let policies: [any EvictionPolicy.Type] = [
        AdaptivePolicy.self, S3FIFOPolicy.self, SIEVEPolicy.self, LRUPolicy.self,
    ]

    @Test(arguments: policies)
    func `random operations never evict an unknown entry or leave one behind`(type: any EvictionPolicy.Type) {
        for capacity in [1, 2, 10, 100, 3000] {
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = SeededGenerator(seed: seed)
            var model = PolicyModel(type, capacity: capacity)
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
                        Issue.record("\(type) chose no entry, or an unknown one (capacity \(capacity), seed \(seed)).")
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

    @Test(arguments: policies)
    func `an entry whose uses were not reported is spared`(type: any EvictionPolicy.Type) {
        var model = PolicyModel(type, capacity: 10)
        for id in 0..<10 { _ = model.insert(id) }
        for id in 0..<9 { model.unreported[id] = 3 }
        #expect(model.insert(10) == [9])
    }

    // MARK: LRU

    @Test func `LRU evicts in the order of the last uses`() {
        var model = PolicyModel(LRUPolicy.self, capacity: 4)
        for id in 0..<4 { _ = model.insert(id) }
        for id in [2, 0, 3, 0, 2] { model.use(id) }
        model.remove(3)
        #expect((0..<3).map { _ in model.evict() } == [1, 0, 2])
    }

    // MARK: SIEVE

    @Test func `SIEVE spares each read entry once, and continues where it stopped`() {
        var model = PolicyModel(SIEVEPolicy.self, capacity: 4)
        for id in 0..<4 { _ = model.insert(id) }
        for id in [0, 1, 3] { model.use(id) }
        // The hand passes 0 and 1, evicts 2, passes 3, evicts 4, and begins again with 0.
        #expect((4..<9).map { model.insert($0) } == [[2], [4], [0], [1], [3]])
    }

    // MARK: S3-FIFO

    @Test func `S3-FIFO evicts entries that were read once or never from its small queue`() {
        // The small queue has two entries. The first 18 entries fill the main queue.
        var model = PolicyModel(S3FIFOPolicy.self, capacity: 20)
        for id in 0..<20 { _ = model.insert(id) }
        model.use(18)
        model.use(19, count: 2)
        #expect(model.insert(20) == [18])
        // 19 moves to the main queue, from which 0 is evicted.
        #expect(model.insert(21) == [0])
        #expect(model.insert(22) == [20])
    }

    @Test func `S3-FIFO adds an entry that was evicted before to its main queue`() {
        var model = PolicyModel(S3FIFOPolicy.self, capacity: 20)
        for id in 0..<20 { _ = model.insert(id) }
        #expect(model.insert(20) == [18])
        // 18 is added again. The small queue has one entry less than before, and the main queue one more than fits.
        #expect(model.insert(21, hash: scattered(18)) == [19])
        #expect(model.insert(22) == [0])
        #expect(model.insert(23) == [20])
    }

    // MARK: Adaptive

    @Test func `the adaptive policy keeps much of a loop that does not fit`() {
        let keys = (0..<30_000).map { $0 % 600 }
        #expect(PolicyModel.hitRatio(LRUPolicy.self, capacity: 400, keys: keys) == 0)
        #expect(PolicyModel.hitRatio(AdaptivePolicy.self, capacity: 400, keys: keys) > 0.25)
    }

    @Test(arguments: [400, 2000])
    func `the adaptive policy gets about as many hits as LRU from recent keys`(capacity: Int) {
        // Each key is used twice. Until the second time, S3-FIFO's small queue evicts it.
        let keys = (0..<60 * capacity).flatMap { $0 < capacity / 3 ? [$0] : [$0, $0 - capacity / 3] }
        let lru = PolicyModel.hitRatio(LRUPolicy.self, capacity: capacity, keys: keys)
        #expect(lru > 0.45)
        #expect(PolicyModel.hitRatio(S3FIFOPolicy.self, capacity: capacity, keys: keys) < lru - 0.2)
        #expect(PolicyModel.hitRatio(AdaptivePolicy.self, capacity: capacity, keys: keys) > lru - 0.03)
    }

    @Test func `the adaptive policy keeps up with a program that changes`() {
        let capacity = 400
        let recent = (0..<20_000).flatMap { $0 < 130 ? [$0] : [$0, $0 - 130] }
        let loop = (0..<60_000).map { 1_000_000 + $0 % 600 }
        let lru = PolicyModel.hitRatio(LRUPolicy.self, capacity: capacity, keys: recent + loop + recent)
        let adaptive = PolicyModel.hitRatio(AdaptivePolicy.self, capacity: capacity, keys: recent + loop + recent)
        #expect(adaptive > lru + 0.1)
    }

    @Test func `the adaptive policy keeps popular keys during scans`() {
        var random = SeededGenerator(seed: 1)
        var keys: [Int] = []
        for scan in 0..<200 {
            keys += (0..<500).map { _ in Int.random(in: 0..<300, using: &random) }
            keys += 1_000 * (scan + 1)..<1_000 * (scan + 1) + 500
        }
        let lru = PolicyModel.hitRatio(LRUPolicy.self, capacity: 400, keys: keys)
        #expect(PolicyModel.hitRatio(AdaptivePolicy.self, capacity: 400, keys: keys) > lru + 0.1)
    }
}
