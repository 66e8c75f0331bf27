/// A loop did not do what it is measured for.
struct WrongResult: Error {
    let result: Int
    let expected: Int
}
