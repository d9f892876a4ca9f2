export { countStock, orderArticle, orders, tryTools } from './warehouse.ts'
