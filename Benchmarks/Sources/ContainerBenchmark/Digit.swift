/// A digit as a type: three digits give a generic type a thousand specializations to register.
protocol Digit: SendableMetatype {
    /// The previous digit; the first digit returns itself.
    associatedtype Previous: Digit

    static var value: Int { get }
}

enum D0: Digit {
    typealias Previous = D0
    static let value = 0
}
enum D1: Digit {
    typealias Previous = D0
    static let value = 1
}
enum D2: Digit {
    typealias Previous = D1
    static let value = 2
}
enum D3: Digit {
    typealias Previous = D2
    static let value = 3
}
enum D4: Digit {
    typealias Previous = D3
    static let value = 4
}
enum D5: Digit {
    typealias Previous = D4
    static let value = 5
}
enum D6: Digit {
    typealias Previous = D5
    static let value = 6
}
enum D7: Digit {
    typealias Previous = D6
    static let value = 7
}
enum D8: Digit {
    typealias Previous = D7
    static let value = 8
}
enum D9: Digit {
    typealias Previous = D8
    static let value = 9
}

let digits: [any Digit.Type] = [
    D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
]
