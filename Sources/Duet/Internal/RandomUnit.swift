import Synchronization

/// Numbers in 0..<1 for any number of tasks, from one generator.
package final class RandomUnit: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    package init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(generator)
    }

    package func next() -> Double {
        // 53 bits are what a `Double` holds exactly.
        generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }
}
